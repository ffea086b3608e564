// Reads the answers of a session, the few that there are among its events.
#include "actors/given_answers.hpp"

#include "messages/event_codec.hpp"
#include "session/failed_effect.hpp"
#include "tools/kept_result.hpp"

namespace troupe::actors {

namespace {

constexpr std::size_t answers_max = 100'000;

/// Absent: the event is none of this answer's. Else whether it says the same.
std::optional<bool> says_the_same(const event_data& happened, const command& given) {
  if (const auto* const mine = std::get_if<decide_permission>(&given)) {
    const auto* const it = std::get_if<permission_decided>(&happened);
    if (it && it->decision_id == mine->decision_id)
      return (it->decision == "allow") == mine->allow && it->arguments == mine->arguments
          && (mine->allow || it->reason == mine->reason);
  }
  if (const auto* const mine = std::get_if<give_verdict>(&given)) {
    const auto* const it = std::get_if<tool_resolved>(&happened);
    if (it && it->execution_id == mine->execution_id)
      return it->verdict == mine->verdict && it->result == mine->result;
  }
  if (const auto* const mine = std::get_if<client_result>(&given)) {
    const auto* const failed = std::get_if<tool_uncertain>(&happened);
    if (failed && failed->execution_id == mine->execution_id && failed->reason == "failed")
      return mine->is_error && failed->error == session::failure_text(mine->content);
    const auto* const it = std::get_if<tool_receipt>(&happened);
    if (it && it->execution_id == mine->execution_id)
      return tools::is_kept_form(tools::kept_result{it->content, it->rest}, mine->content)
          && it->is_error == mine->is_error && tools::is_kept_form(it->details, mine->details)
          && it->terminate.value_or(false) == mine->terminate
          && (it->outcome == tool_outcome::completed || it->outcome == tool_outcome::failed)
          && it->error_kind != error_kind::timeout;
  }
  return std::nullopt;
}

std::vector<std::string> types_of_answer(const command& given) {
  if (std::holds_alternative<decide_permission>(given))
    return {"permission.decided"};
  if (std::holds_alternative<give_verdict>(given))
    return {"tool.resolved"};
  return {"tool.receipt", "tool.uncertain"};
}

} // namespace

std::optional<problem> compare_with_log(persistence::journal& journal,
    const persistence::session_row& session, const command& given, const problem& unknown) {
  const auto stored = journal.read(session.key, 0, answers_max, types_of_answer(given));
  if (!stored)
    return stored.error();
  bool otherwise = false; // a call that was run again may have had several, and each was given
  for (const auto& each : *stored) {
    const auto happened = decode(each);
    if (!happened)
      return happened.error();
    const auto same = says_the_same(happened->data, given);
    if (same.value_or(false))
      return std::nullopt;
    otherwise = otherwise || same.has_value();
  }
  return otherwise ? problem{problem_code::conflict, "it was answered otherwise before", {}} : unknown;
}

} // namespace troupe::actors
