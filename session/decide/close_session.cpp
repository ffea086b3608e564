// A session closes: new work is refused first, what runs is aborted and settled, then it is closed (D-25).
//
//   open ──▶ closing ──▶ (abort by `close`, its end) ──▶ closed
//
// Only the steps are decided here; `next_step` takes them one after the other, also after a crash.
#include "session/decide.hpp"
#include "session/steps.hpp"

namespace troupe::session {

decision decide(const state& now, const close_session& command, const inputs& in) {
  draft d(now, in);
  if (now.closed)
    return d.take();
  if (!now.closing)
    d.add(session_closing{command.reason});
  if (!now.run && now.compaction)
    give_up_compaction(d, {"closed", std::nullopt, false, "The agent was closed before the compaction ran."});
  if (!now.run)
    d.add(session_closed{});
  return d.take();
}

} // namespace troupe::session
