// The context is made smaller on request, and a compaction comes to its end.
#include "session/decide.hpp"
#include "session/steps.hpp"

namespace troupe::session {

decision decide(const state& now, const compact&, const inputs& in) {
  if (now.closed || now.closing)
    return problem{problem_code::closed, "the session `" + now.options->id + "` is closed", {}};
  if (now.parked)
    return problem{problem_code::conflict,
        "the session `" + now.options->id + "` is parked: start it before its context is compacted", {}};
  draft d(now, in);
  if (!now.run && !now.compaction)
    make_room(d, "requested");
  return d.take();
}

// An answer counts for the compaction that is open; what was meanwhile queued is taken up behind it.
decision decide(const state& now, const compaction_answer& command, const inputs& in) {
  draft d(now, in);
  if (!now.compaction || now.compaction->compaction_id != command.compaction_id || now.parked)
    return d.take();
  const auto ended = now.compaction;
  auto failed = command.error;
  if (now.aborting())
    failed = cancelled_compaction();
  else if (!failed && command.replacement.empty())
    failed = failure{"invalid_summary", std::nullopt, false, "The compaction gave nothing."};
  if (failed)
    d.add(compaction_failed{command.compaction_id, *failed, command.usage});
  else
    d.add(compaction_finished{command.compaction_id, ended->through_seq, command.replacement, command.usage,
        command.tokens_before, command.tokens_after});
  go_on_after(d, *ended, failed);
  return d.take();
}

} // namespace troupe::session
