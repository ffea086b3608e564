// Ids in the order of the events, answers of look-ups from what they led to.
#include "tests/support/redecide.hpp"

#include "messages/event_codec.hpp"
#include "session/evolve.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>

namespace troupe::testing {

namespace {

template <class T> const T* first_of(std::span<const event> append) {
  for (const auto& event : append)
    if (const auto* const held = std::get_if<T>(&event.data))
      return held;
  return nullptr;
}

class recorded_ids : public id_source {
 public:
  explicit recorded_ids(std::span<const event> append) {
    for (const auto& event : append) {
      if (std::holds_alternative<run_started>(event.data))
        ids_.push_back(event.run_id.value());
      if (const auto* const it = std::get_if<inference_started>(&event.data))
        ids_.push_back(it->inference_id);
      if (const auto* const it = std::get_if<tools_requested>(&event.data))
        for (const auto& call : it->calls)
          ids_.push_back(call.execution_id);
      if (const auto* const it = std::get_if<permission_requested>(&event.data))
        ids_.push_back(it->decision_id);
      if (const auto* const it = std::get_if<compaction_started>(&event.data))
        ids_.push_back(it->compaction_id);
      if (const auto* const it = std::get_if<context_cleared>(&event.data))
        ids_.push_back(it->compaction_id);
    }
  }
  std::string next() override {
    if (ids_.empty())
      return "more ids than were recorded";
    auto id = std::move(ids_.front());
    ids_.pop_front();
    return id;
  }

 private:
  std::deque<std::string> ids_;
};

std::vector<block> blocks_of(std::span<const event> append) {
  std::vector<block> blocks;
  for (const auto& event : append)
    if (const auto* const it = std::get_if<assistant_block>(&event.data))
      blocks.push_back(it->block);
  return blocks;
}

// A call was refused by its check if it was never started for what its arguments or its name are.
std::vector<call_check> checks_of(std::span<const event> append) {
  std::vector<call_check> checks;
  const auto* const requested = first_of<tools_requested>(append);
  if (!requested)
    return checks;
  for (const auto& call : requested->calls) {
    call_check check;
    for (const auto& event : append)
      if (const auto* const receipt = std::get_if<tool_receipt>(&event.data); receipt
          && receipt->execution_id == call.execution_id && receipt->error_kind == error_kind::invalid_input)
        check = {plain_text(receipt->content), error_kind::invalid_input};
    checks.push_back(std::move(check));
  }
  return checks;
}

command answer_of(const tool_receipt& r) {
  return tool_answer{r.execution_id, r.attempt, r.outcome, r.content, r.is_error, r.error_kind, r.details,
      r.terminate.value_or(false), r.rest};
}

// A failure that a person is asked about leaves its text; the rest of the answer shaped nothing.
command answer_of(const tool_uncertain& it) {
  return tool_answer{it.execution_id, it.attempt, tool_outcome::failed, content(it.error.value_or("")), true,
      std::nullopt, std::nullopt, false, std::nullopt};
}

command withdrawal_of(const session::state& before, const message_withdrawn& it) {
  const auto has = [&](const session::waiting_messages& queue) {
    return std::any_of(queue.begin(), queue.end(), [&](const auto& m) {
      return std::find(it.message_ids.begin(), it.message_ids.end(), m.data->message_id)
          != it.message_ids.end();
    });
  };
  const bool steer = has(before.steer);
  const bool sends = has(before.sends);
  return withdraw{
      steer == sends ? std::nullopt : std::optional(steer ? delivery::steer : delivery::send), it.by};
}

// Somebody waited for one if it came before an inference for that reason; clearing tells no reason, and
// would come out the same.
bool compaction_was_wanted(std::span<const event> append) {
  const auto* const started = first_of<compaction_started>(append);
  return (started && started->reason == "requested") || first_of<context_cleared>(append);
}

// What the provider takes of efforts shows in what became of the one that was asked for.
session::look_ups with_efforts(const session::look_ups& known, const inference_started& started) {
  session::look_ups out = known;
  auto& efforts = out.providers[started.provider].efforts;
  efforts.clear();
  if (started.effort_requested)
    efforts.push_back(*started.effort);
  return out;
}

// What the log leaves out because another event says it, as readers get it.
void fill_in(event_data& data, const session::state& before) {
  if (auto* const it = std::get_if<tool_started>(&data); it && !it->arguments)
    if (const auto* const call = before.find_call(it->execution_id))
      it->arguments = call->effective_arguments();
  if (auto* const it = std::get_if<permission_requested>(&data); it && !it->arguments)
    if (const auto* const call = before.find_call(it->execution_id))
      it->arguments = call->effective_arguments();
  if (auto* const it = std::get_if<tool_result>(&data); it && it->execution_id)
    if (const auto* const call = before.find_call(*it->execution_id); call && call->settled) {
      if (!it->content)
        it->content = call->settled->content;
      if (!it->is_error)
        it->is_error = call->settled->is_error;
    }
}

// Look-ups of an inference and the clock of a deadline are recorded facts, taken as they are.
void take_recorded(event_data& again, const event_data& recorded) {
  if (auto* const it = std::get_if<inference_started>(&again))
    if (const auto* const was = std::get_if<inference_started>(&recorded)) {
      it->instructions = was->instructions;
      it->tools = was->tools;
    }
  if (auto* const it = std::get_if<tool_started>(&again); it && it->deadline)
    if (const auto* const was = std::get_if<tool_started>(&recorded))
      it->deadline = was->deadline;
}

} // namespace

std::optional<command> recovered_command(
    command_kind kind, const session::state& before, std::span<const event> append) {
  const auto& first = append.front().data;
  switch (kind) {
  case command_kind::create_session:
    return create_session{std::get<session_created>(first).options};
  case command_kind::accept_message: {
    const auto& it = std::get<message_queued>(first);
    return accept_message{
        it.message_id, it.delivery, it.content, it.role, it.settings, it.metadata, it.by.value_or("client")};
  }
  case command_kind::withdraw:
    return withdrawal_of(before, std::get<message_withdrawn>(first));
  case command_kind::take_up:
    return take_up{};
  case command_kind::start:
    return start{};
  case command_kind::continue_run:
    return continue_run{};
  case command_kind::block_finished:
    return block_finished{std::get<assistant_block>(first).inference_id, blocks_of(append)};
  case command_kind::inference_answer:
    return inference_answer{*first_of<inference_finished>(append), blocks_of(append), checks_of(append)};
  case command_kind::begin_tools:
    return begin_tools{};
  case command_kind::tool_answer:
    if (const auto* const failed = std::get_if<tool_uncertain>(&first))
      return answer_of(*failed);
    return answer_of(std::get<tool_receipt>(first));
  case command_kind::decide_permission: {
    const auto& it = std::get<permission_decided>(first);
    return decide_permission{it.decision_id, it.decision == "allow", it.by, it.reason, it.arguments};
  }
  case command_kind::give_verdict: {
    const auto& it = std::get<tool_resolved>(first);
    return give_verdict{it.execution_id, it.verdict, it.by, it.result};
  }
  case command_kind::abort:
    if (std::holds_alternative<compaction_failed>(first))
      return abort_run{"user"};
    return abort_run{std::get<abort_requested>(first).by};
  case command_kind::settle_abort:
    return settle_abort{};
  case command_kind::recover: {
    const auto* const voided = first_of<output_voided>(append);
    return recover{voided ? voided->reason : "crash"};
  }
  case command_kind::update_session:
    return update_session{std::get<session_updated>(first).changes};
  case command_kind::client_result: {
    if (const auto* const failed = std::get_if<tool_uncertain>(&first))
      return client_result{
          failed->execution_id, content(failed->error.value_or("")), true, std::nullopt, false, std::nullopt};
    const auto& it = std::get<tool_receipt>(first);
    return client_result{
        it.execution_id, it.content, it.is_error, it.details, it.terminate.value_or(false), it.rest};
  }
  case command_kind::expire:
    return expire{};
  case command_kind::close_session: {
    const auto* const closing = std::get_if<session_closing>(&first);
    return close_session{closing ? closing->reason : std::nullopt};
  }
  case command_kind::reset_context: {
    const auto& it = std::get<context_reset>(first);
    return reset_context{it.handoff ? std::optional(it.handoff->text) : std::nullopt};
  }
  case command_kind::compact:
    return compact{};
  case command_kind::compaction_answer: {
    if (const auto* const failed = std::get_if<compaction_failed>(&first))
      return compaction_answer{
          failed->compaction_id, {}, failed->error, failed->usage, std::nullopt, std::nullopt};
    const auto& it = std::get<compaction_finished>(first);
    return compaction_answer{
        it.compaction_id, it.replacement, std::nullopt, it.usage, it.tokens_before, it.tokens_after};
  }
  default:
    return std::nullopt;
  }
}

command_kind kind_of_append(const session::state& before, std::span<const event> append) {
  const auto& first = append.front().data;
  if (const auto* const it = std::get_if<run_started>(&first))
    return it->cause == run_cause::start    ? command_kind::start
        : it->cause == run_cause::continue_ ? command_kind::continue_run
                                            : command_kind::take_up;
  if (const auto* const it = std::get_if<tool_uncertain>(&first))
    return it->reason == "failed" ? command_kind::tool_answer : command_kind::recover;
  if (std::holds_alternative<output_voided>(first))
    return command_kind::recover;
  if (first_of<inference_finished>(append))
    return command_kind::inference_answer;
  if (std::holds_alternative<tool_receipt>(first))
    return before.aborting() ? command_kind::settle_abort : command_kind::tool_answer;
  if (std::holds_alternative<compaction_finished>(first) || std::holds_alternative<compaction_failed>(first))
    return command_kind::compaction_answer;
  if (std::holds_alternative<compaction_started>(first) || std::holds_alternative<context_cleared>(first))
    return command_kind::compact;
  if (std::holds_alternative<session_updated>(first))
    return command_kind::update_session;
  if (std::holds_alternative<session_created>(first))
    return command_kind::create_session;
  if (std::holds_alternative<message_queued>(first))
    return command_kind::accept_message;
  if (std::holds_alternative<assistant_block>(first))
    return command_kind::block_finished;
  if (std::holds_alternative<tool_started>(first))
    return command_kind::begin_tools;
  if (std::holds_alternative<permission_decided>(first))
    return command_kind::decide_permission;
  if (std::holds_alternative<tool_resolved>(first))
    return command_kind::give_verdict;
  return std::holds_alternative<abort_requested>(first) ? command_kind::abort : command_kind::import_log;
}

std::optional<std::string> redecided_difference(const session::state& before, std::span<const event> append,
    const command& what, const session::look_ups& known) {
  recorded_ids ids(append);
  const auto* const started = first_of<inference_started>(append);
  const bool with_effort = started && started->effort;
  const session::look_ups own = with_effort ? with_efforts(known, *started) : session::look_ups();
  const auto* const reset = first_of<context_reset>(append);
  const session::inputs in{append.front().at, ids, with_effort ? own : known, compaction_was_wanted(append),
      reset && reset->handoff ? std::optional(reset->handoff->text) : std::nullopt};
  const auto again = session::decide(before, what, in);
  if (!again)
    return "refused: " + again.error().detail;
  session::state now = before;
  for (std::size_t i = 0; i < std::max(append.size(), again->size()); ++i) {
    if (i >= again->size() || i >= append.size())
      return std::to_string(append.size()) + " events were recorded, " + std::to_string(again->size())
          + " are decided";
    event_data data = (*again)[i].data;
    event_data kept = append[i].data;
    fill_in(data, now);
    fill_in(kept, now);
    take_recorded(data, kept);
    const std::string decided = std::string(type_name(data)) + " " + encode(data);
    const std::string recorded = std::string(type_name(kept)) + " " + encode(kept);
    if (decided != recorded)
      return "event " + std::to_string(append[i].seq) + ": recorded " + recorded + ", decided " + decided;
    if ((*again)[i].run_id != append[i].run_id || (*again)[i].seq != append[i].seq
        || (*again)[i].at != append[i].at)
      return "event " + std::to_string(append[i].seq) + ": another place, time or run";
    session::evolve(now, append[i]);
  }
  return std::nullopt;
}

} // namespace troupe::testing
