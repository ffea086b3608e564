// Each kind of command has left in its events what it was made from.
#include "session/replay/recorded_command.hpp"

#include "session/replay/append_events.hpp"

#include <algorithm>

namespace troupe::session {

namespace {

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

command withdrawal_of(const state& before, const message_withdrawn& it) {
  const auto has = [&](const waiting_messages& queue) {
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

template <class T, class Make> std::optional<command> made_from(const event& first, Make make) {
  const auto* const it = std::get_if<T>(&first.data);
  return it ? std::optional<command>(make(*it)) : std::nullopt;
}

std::optional<command> answer_in(std::span<const event> append) {
  const auto* const finish = first_of<inference_finished>(append);
  return finish ? std::optional<command>(inference_answer{*finish, blocks_of(append), checks_of(append)})
                : std::nullopt;
}

std::optional<command> tool_answer_in(const event& first) {
  if (const auto* const failed = std::get_if<tool_uncertain>(&first.data))
    return answer_of(*failed);
  return made_from<tool_receipt>(first, [](const tool_receipt& it) { return answer_of(it); });
}

std::optional<command> client_result_in(const event& first) {
  if (const auto* const failed = std::get_if<tool_uncertain>(&first.data))
    return client_result{
        failed->execution_id, content(failed->error.value_or("")), true, std::nullopt, false, std::nullopt};
  return made_from<tool_receipt>(first, [](const tool_receipt& it) {
    return client_result{
        it.execution_id, it.content, it.is_error, it.details, it.terminate.value_or(false), it.rest};
  });
}

std::optional<command> abort_in(const event& first) {
  if (std::holds_alternative<compaction_failed>(first.data))
    return abort_run{"user"};
  return made_from<abort_requested>(first, [](const abort_requested& it) { return abort_run{it.by}; });
}

std::optional<command> compaction_answer_in(const event& first) {
  if (const auto* const failed = std::get_if<compaction_failed>(&first.data))
    return compaction_answer{
        failed->compaction_id, {}, failed->error, failed->usage, std::nullopt, std::nullopt};
  return made_from<compaction_finished>(first, [](const compaction_finished& it) {
    return compaction_answer{
        it.compaction_id, it.replacement, std::nullopt, it.usage, it.tokens_before, it.tokens_after};
  });
}

// What comes in from outside: orders, and what people say.
std::optional<command> order_in(command_kind kind, const state& before, const event& first) {
  switch (kind) {
  case command_kind::create_session:
    return made_from<session_created>(
        first, [](const session_created& it) { return create_session{it.options}; });
  case command_kind::accept_message:
    return made_from<message_queued>(first, [](const message_queued& it) {
      return accept_message{it.message_id, it.delivery, it.content, it.role, it.settings, it.metadata,
          it.by.value_or("client")};
    });
  case command_kind::withdraw:
    return made_from<message_withdrawn>(
        first, [&](const message_withdrawn& it) { return withdrawal_of(before, it); });
  case command_kind::decide_permission:
    return made_from<permission_decided>(first, [](const permission_decided& it) {
      return decide_permission{it.decision_id, it.decision == "allow", it.by, it.reason, it.arguments};
    });
  case command_kind::give_verdict:
    return made_from<tool_resolved>(first, [](const tool_resolved& it) {
      return give_verdict{it.execution_id, it.verdict, it.by, it.result};
    });
  case command_kind::update_session:
    return made_from<session_updated>(
        first, [](const session_updated& it) { return update_session{it.changes}; });
  case command_kind::reset_context:
    return made_from<context_reset>(first, [](const context_reset& it) { return reset_context{it.handoff}; });
  case command_kind::close_session: {
    const auto* const closing = std::get_if<session_closing>(&first.data);
    return close_session{closing ? closing->reason : std::nullopt};
  }
  case command_kind::trim:
    return made_from<context_trimmed>(first, [](const context_trimmed& it) { return trim{it.anchor}; });
  case command_kind::fork:
    return made_from<session_forked>(first, [](const session_forked& it) {
      return fork_session{it.from, it.options};
    });
  case command_kind::abort:
    return abort_in(first);
  default:
    return std::nullopt;
  }
}

} // namespace

std::optional<command> recorded_command(
    command_kind kind, const state& before, std::span<const event> append, bool cut) {
  if (append.empty())
    return std::nullopt;
  const event& first = append.front();
  if (cut && kind == command_kind::inference_answer && !first_of<inference_finished>(append))
    kind = command_kind::block_finished; // how the answer ended was cut off
  switch (kind) {
  case command_kind::take_up:
    return take_up{};
  case command_kind::start:
    return start{};
  case command_kind::continue_run:
    return continue_run{};
  case command_kind::block_finished:
    return made_from<assistant_block>(first, [&](const assistant_block& it) {
      return block_finished{it.inference_id, blocks_of(append)};
    });
  case command_kind::inference_answer:
    return answer_in(append);
  case command_kind::begin_tools:
    return begin_tools{};
  case command_kind::tool_answer:
    return tool_answer_in(first);
  case command_kind::client_result:
    return client_result_in(first);
  case command_kind::settle_abort:
    return settle_abort{};
  case command_kind::recover: {
    const auto* const voided = first_of<output_voided>(append);
    return recover{voided ? voided->reason : "crash"};
  }
  case command_kind::expire:
    return expire{};
  case command_kind::compact:
    return compact{};
  case command_kind::compaction_answer:
    return compaction_answer_in(first);
  default:
    return order_in(kind, before, first);
  }
}

} // namespace troupe::session
