// The context is emptied; the log and the queues keep what they have (D-22).
#include "session/decide.hpp"
#include "session/draft.hpp"

namespace troupe::session {

decision decide(const state& now, const reset_context& command, const inputs& in) {
  if (now.closed || now.closing)
    return problem{problem_code::closed, "the session `" + now.options->id + "` is closed", {}};
  if (now.run || now.compaction)
    return problem{problem_code::conflict,
        "the session `" + now.options->id + "` is at work: abort it before its context is emptied", {}};
  draft d(now, in);
  if (now.context.empty() && !command.handoff)
    return d.take();
  d.add(context_reset{"requested", command.handoff});
  return d.take();
}

} // namespace troupe::session
