// Read off the first event, as docs/events.md tells it.
#include "tests/support/append_kind.hpp"

#include "session/replay/append_events.hpp"

namespace troupe::testing {

using session::first_of;

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
  if (std::holds_alternative<session_forked>(first))
    return command_kind::fork;
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

} // namespace troupe::testing
