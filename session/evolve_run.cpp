// The folds of runs, inferences and notices.
#include "session/evolve.hpp"

namespace troupe::session::detail {

namespace {

void add(std::optional<std::int64_t>& total, const std::optional<std::int64_t>& more) {
  if (more)
    total = total.value_or(0) + *more;
}

void add(usage& total, const usage& more) {
  add(total.input_tokens, more.input_tokens);
  add(total.output_tokens, more.output_tokens);
  add(total.cache_read_tokens, more.cache_read_tokens);
  add(total.cache_write_tokens, more.cache_write_tokens);
  add(total.reasoning_tokens, more.reasoning_tokens);
  if (more.cost_usd)
    total.cost_usd = total.cost_usd.value_or(0) + *more.cost_usd;
}

// After these the queues wait for somebody, unless a message came since.
bool holds_the_queues(run_outcome_kind kind) {
  return kind == run_outcome_kind::aborted || kind == run_outcome_kind::stopped
      || kind == run_outcome_kind::max_turns || kind == run_outcome_kind::output_limit;
}

} // namespace

void fold_run(state& now, const event& at, const run_started& it) {
  now.run = run_record{at.run_id.value_or(""), it.machine, 0, 0, std::nullopt};
  now.held = false;
  now.fresh = false;
  now.last_error.reset();
}

void fold_run(state& now, const run_finished& it) {
  now.held = holds_the_queues(it.outcome.kind) && now.has_queued() && !now.fresh;
  now.fresh = false;
  now.last_error = it.outcome.error;
  if (it.outcome.kind == run_outcome_kind::completed)
    now.owed = owed_kind::nothing; // also where a tool's `terminate` left its results unanswered
  now.run.reset();
  now.inference.reset();
  now.calls.clear();
  now.calls.shrink_to_fit(); // it may rest for long now
}

void fold_run(state& now, const event& at, const inference_started& it) {
  now.inference = inference_record{std::make_shared<const inference_started>(it), at.seq, true, 0, {}};
  now.calls.clear();
  if (now.run)
    ++now.run->inferences;
}

void fold_run(state& now, const event& at, const assistant_block& it) {
  now.context.add_block(it, at.seq);
  if (!now.inference || now.inference->data->inference_id != it.inference_id)
    return;
  ++now.inference->blocks;
  if (const auto* const call = std::get_if<tool_call_block>(&it.block))
    now.inference->calls.emplace_back(it.index, std::make_shared<const tool_call_block>(*call));
}

void fold_run(state& now, const inference_finished& it) {
  now.context.finish_inference(it.inference_id);
  add(now.usage, it.usage);
  now.voided_in_a_row = 0;
  if (now.inference && now.inference->data->inference_id == it.inference_id)
    now.inference->open = false;
  // an answer that failed or was stopped leaves its question open
  if (it.state == inference_state::completed)
    now.owed = owed_kind::nothing;
}

void fold_run(state& now, const output_voided& it) {
  now.context.void_output(it.inference_id);
  ++now.voided_in_a_row;
  if (now.run && now.run->inferences > 0)
    --now.run->inferences;
  now.inference.reset();
  now.owed = owed_kind::inference;
}

void fold_run(state& now, const event& at, const notice_added& it) {
  now.context.add_message({"system", {text_part{it.text}}, {}, std::nullopt, std::nullopt}, at.seq);
}

} // namespace troupe::session::detail
