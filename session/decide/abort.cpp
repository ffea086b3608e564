// A run is aborted: first the fact, then, when what ran has stopped, the end of it.
#include "session/decide.hpp"
#include "session/steps.hpp"

namespace troupe::session {

decision decide(const state& now, const abort_run& command, const inputs& in) {
  draft d(now, in);
  if (now.run && !now.aborting())
    d.add(abort_requested{command.by});
  else if (!now.run && now.compaction)
    give_up_compaction(d, cancelled_compaction());
  return d.take();
}

decision decide(const state& now, const settle_abort& command, const inputs& in) {
  draft d(now, in);
  if (now.aborting() && (command.run_id.empty() || command.run_id == now.run->id))
    close_aborted_run(d, {});
  return d.take();
}

} // namespace troupe::session
