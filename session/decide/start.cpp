// A run begins: by itself with what is queued, or because somebody asked for it.
#include "session/decide.hpp"
#include "session/steps.hpp"

namespace troupe::session {

namespace {

// Asked for outside a run, it can't be noted: it would be lost.
problem while_compacting(const state& now) {
  return {problem_code::conflict,
      "the context of the session `" + now.options->id + "` is being compacted: ask again when that is done",
      {}};
}

bool is_busy(const state& now) { return now.run || now.compaction || now.closed || now.closing; }

} // namespace

decision decide(const state& now, const take_up&, const inputs& in) {
  draft d(now, in);
  if (!is_busy(now) && !now.parked && !now.held && now.has_queued())
    run_with_queue(d, run_cause::message);
  return d.take();
}

// What is owed comes first: steering that is left joins it, sends wait until it is answered (D-37).
decision decide(const state& now, const start&, const inputs& in) {
  if (now.closed || now.closing)
    return problem{problem_code::closed, "the session `" + now.options->id + "` is closed", {}};
  if (!now.run && now.compaction && !now.parked)
    return while_compacting(now);
  draft d(now, in);
  if (now.parked) {
    // what was running when it was parked runs nowhere
    d.add(session_unparked{"user"});
    recover_open_work(d, "crash");
  }
  if (is_busy(now))
    return d.take();
  if (now.owed == owed_kind::inference) {
    begin_run(d, run_cause::start);
    consume(d, delivery::steer);
    infer(d);
  } else if (now.has_queued()) {
    run_with_queue(d, run_cause::start);
  }
  return d.take();
}

decision decide(const state& now, const continue_run&, const inputs& in) {
  if (now.closed || now.closing)
    return problem{problem_code::closed, "the session `" + now.options->id + "` is closed", {}};
  if (!now.run && now.compaction && !now.parked)
    return while_compacting(now);
  draft d(now, in);
  if (is_busy(now) || now.parked)
    return d.take();
  if (!now.has_queued() && (now.context.empty() || now.context.last_role() == "assistant"))
    return problem{problem_code::conflict,
        "there is nothing to continue: nothing is queued, and the context is empty or ends with an answer",
        {}};
  if (now.has_queued()) {
    run_with_queue(d, run_cause::continue_);
  } else {
    begin_run(d, run_cause::continue_);
    infer(d);
  }
  return d.take();
}

} // namespace troupe::session
