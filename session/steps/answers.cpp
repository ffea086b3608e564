// What the end of an answer means, and how a failed turn is closed.
#include "session/steps.hpp"

#include <algorithm>

namespace troupe::session {

namespace {

failure invalid(std::string message) { return {"invalid_request", std::nullopt, false, std::move(message)}; }

} // namespace

// The table of stop reasons (D-08): only a stop for tools runs calls, only a plain end completes.
std::optional<failure> judge(const inference_finished& finish, std::size_t calls) {
  if (finish.state != inference_state::completed)
    return finish.error.value_or(
        failure{"unknown", std::nullopt, false, "The answer was stopped and nobody said why."});
  const std::string stop = finish.stop.value_or("");
  if (stop == "tool_use" || stop == "function_call") {
    if (calls == 0)
      return invalid("the model stopped for tools without a complete tool call");
    return std::nullopt;
  }
  if (stop == "max_tokens")
    return std::nullopt;
  if (calls > 0)
    return invalid("the model stopped with `" + stop + "` and " + std::to_string(calls)
        + " tool call(s) that were not executed");
  if (stop == "end_turn" || stop == "stop_sequence")
    return std::nullopt;
  if (stop == "refusal")
    return invalid("the model refused the request");
  if (stop == "content_filter")
    return invalid("the answer was stopped by a content filter");
  if (stop == "context_window")
    return failure{"context_overflow", std::nullopt, false, "the context is too long for the model"};
  return failure{"unknown", std::nullopt, false, "the model stopped with `" + stop + "`"};
}

void close_calls(draft& d, const std::string& text) {
  if (!d.now().inference)
    return;
  const auto inference = *d.now().inference;
  for (const auto& [index, block] : inference.calls) {
    const bool requested =
        std::any_of(d.now().calls.begin(), d.now().calls.end(), [&, i = index](const call_state& c) {
          return c.call.inference_id == inference.data->inference_id && c.call.index == i;
        });
    if (!requested)
      d.add(tool_result{inference.data->inference_id, index, block->call_id, std::nullopt, content(text),
          true, std::nullopt});
  }
}

void fail_turn(draft& d, const failure& error) {
  close_calls(d, "The response ended before this tool call was dispatched.");
  if (d.now().has_queued() && !at_limit(d.now())) {
    consume_next(d);
    return infer(d);
  }
  d.add(notice_added{"The last turn failed: " + error.message, "turn_failed"});
  if (d.now().has_queued()) // only at the limit: what waits is held, or it would be a run for each message
    return end_at_limit(d, turn_outcome::failed);
  end_run(
      d, turn_outcome::failed, {run_outcome_kind::error, error, std::nullopt, std::nullopt, std::nullopt});
}

} // namespace troupe::session
