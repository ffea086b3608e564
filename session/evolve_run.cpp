// The folds of runs, inferences and notices.
#include "session/context_size.hpp"
#include "session/evolve.hpp"

namespace troupe::session::detail {

namespace {

std::uint64_t bytes_of(const referenced_text& text) {
  return text.content.ref ? text.content.ref->bytes : text.content.text.size();
}

// After these the queues wait for somebody, unless a message came since.
bool holds_the_queues(run_outcome_kind kind) {
  return kind == run_outcome_kind::aborted || kind == run_outcome_kind::stopped
      || kind == run_outcome_kind::max_turns || kind == run_outcome_kind::output_limit;
}

} // namespace

void count_output(state& now, std::size_t context_size_before) {
  if (!now.run || !now.options->output_limit || now.context.size() <= context_size_before)
    return;
  std::size_t joined = now.context.size() - context_size_before;
  now.run->messages += static_cast<std::int64_t>(joined);
  now.context.newest_first([&](const context_entry& entry) {
    now.run->source_bytes += source_bytes(entry.message);
    return --joined > 0;
  });
}

void fold_run(state& now, const event& at, const run_started& it) {
  now.run.emplace();
  now.run->id = at.run_id.value_or("");
  now.run->machine = it.machine;
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
  now.inference.emplace();
  now.inference->data = std::make_shared<const inference_started>(it);
  now.inference->seq = at.seq;
  now.fixed_bytes = bytes_of(it.instructions) + bytes_of(it.tools);
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

void fold_run(state& now, const event& at, const inference_finished& it) {
  const auto before = now.context.size();
  now.context.finish_inference(it.inference_id, at.seq);
  count_output(now, before);
  add(now.usage, it.usage);
  now.voided_in_a_row = 0;
  if (now.inference && now.inference->data->inference_id == it.inference_id) {
    now.inference->open = false;
    now.inference->error = it.error;
  }
  // an answer that failed or was stopped leaves its question open
  if (it.state != inference_state::completed)
    return;
  now.owed = owed_kind::nothing;
  now.overflowed = false;
  if (it.usage.input_tokens && it.usage.output_tokens)
    now.measured = measured_context{*it.usage.input_tokens + *it.usage.output_tokens, at.seq};
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
  now.context.add_message({"system", {text_part{it.text}}, {}, std::nullopt, std::nullopt}, at.seq, at.seq);
}

} // namespace troupe::session::detail
