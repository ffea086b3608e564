// What waits for somebody, and the answers: permissions, verdicts, results of clients' tools.
#include "gateway/picture.hpp"
#include "gateway/routes/api.hpp"
#include "gateway/routes/cursor.hpp"
#include "gateway/session_document.hpp"

#include "messages/event_codec.hpp"

namespace troupe::gateway {

namespace {

using state = std::shared_ptr<const session::state>;

enum class ruling { allow, deny };
struct permission_answer {
  ruling decision = ruling::deny;
  std::optional<std::string> reason;
  std::optional<json::raw> arguments;
};
struct verdict_answer {
  troupe::verdict verdict = verdict::abandon;
  std::optional<content> result;
};
struct tool_answer_of_client {
  json::raw output;
  std::optional<bool> is_error;
  std::optional<bool> terminate;
  std::optional<json::raw> details;
};
BOOST_DESCRIBE_ENUM(ruling, allow, deny)
BOOST_DESCRIBE_STRUCT(permission_answer, (), (decision, reason, arguments))
BOOST_DESCRIBE_STRUCT(verdict_answer, (), (verdict, result))
BOOST_DESCRIBE_STRUCT(tool_answer_of_client, (), (output, is_error, terminate, details))

actors::then<state> taken(const std::shared_ptr<exchange>& one) {
  return answering_with<state>(one, [](const state& now) {
    return json_answer(
        json::writer().begin_object().field("status", session::status(*now)).end_object().take());
  });
}

void decide(const api& with, const std::shared_ptr<exchange>& one, const matched& found) {
  const auto given = read_body<permission_answer>(one->asked());
  if (!given)
    return void(one->answer(given.error()));
  if (given->arguments && given->decision == ruling::deny)
    return void(one->answer(bad_body({{"/arguments", "go with `allow` alone"}})));
  with.sessions->answer_call(found.at("id"),
      decide_permission{
          found.at("decision_id"), given->decision == ruling::allow, "user", given->reason, given->arguments},
      taken(one));
}

void judge(const api& with, const std::shared_ptr<exchange>& one, const matched& found) {
  const auto given = read_body<verdict_answer>(one->asked());
  if (!given)
    return void(one->answer(given.error()));
  if (given->result && given->verdict == verdict::rerun)
    return void(one->answer(bad_body({{"/result", "goes with `abandon` alone"}})));
  with.sessions->answer_call(found.at("id"),
      give_verdict{found.at("execution_id"), given->verdict, "user", given->result}, taken(one));
}

// A string or a list of blocks is content; any other JSON is shown to the model as its text.
content content_of(const json::raw& output) {
  const auto parsed = json::parse(output.text);
  if (parsed && (parsed->is(json::kind::string) || parsed->is(json::kind::array)))
    if (auto read = content_from_json(*parsed))
      return *std::move(read);
  return content(output.text);
}

void bring_result(const api& with, const std::shared_ptr<exchange>& one, const matched& found) {
  const auto given = read_body<tool_answer_of_client>(one->asked());
  if (!given)
    return void(one->answer(given.error()));
  auto output = content_of(given->output);
  if (auto fault = fault_of_pictures(output))
    return void(one->answer(bad_body({{"/output", *std::move(fault)}})));
  with.sessions->answer_call(found.at("id"),
      client_result{found.at("execution_id"), std::move(output), given->is_error.value_or(false),
          given->details, given->terminate.value_or(false), std::nullopt},
      taken(one));
}

// From the rows alone: what a session waits for stands in its views.
std::string waiting_page(const std::vector<persistence::session_row>& page, std::size_t limit) {
  json::writer out;
  out.begin_object();
  for (const char* const list : {"permissions", "uncertain", "client_calls"}) {
    out.key(list).begin_array();
    for (const auto& row : page) {
      const auto views = json::parse(row.view.views);
      const auto* const calls = views ? views->find(list) : nullptr;
      if (!calls)
        continue;
      for (const auto& call : calls->items()) {
        out.begin_object().field("session_id", row.id);
        for (const auto& [name, value] : call.members())
          out.key(name).raw_text(value.source());
        out.end_object();
      }
    }
    out.end_array();
  }
  out.key("next_cursor");
  page.size() == limit ? out.string(cursor_of(page.back())) : out.null();
  return out.end_object().take();
}

void list_waiting(const api& with, const std::shared_ptr<exchange>& one, const matched& found) {
  std::optional<persistence::page_mark> mark;
  if (const auto cursor = found.text("cursor"); cursor && !(mark = mark_of(*cursor)))
    return void(one->answer(bad_cursor(*cursor)));
  const auto limit = static_cast<std::size_t>(with.limits.page_limit);
  with.sessions->waiting(limit, mark,
      answering_with<std::vector<persistence::session_row>>(
          one, [limit](const auto& page) { return json_answer(waiting_page(page, limit)); }));
}

} // namespace

void add_decision_routes(router& to, const api& with) {
  to.add({.method = "GET",
      .path = "/v1/decisions",
      .summary = "What waits for somebody, over all sessions",
      .parameters = {text_parameter("cursor", "The `next_cursor` of the page before", 64)},
      .answers = {{200, "`{permissions, uncertain, client_calls, next_cursor}`"}},
      .carry_out = [with](const auto& one, const auto& found) { list_waiting(with, one, found); }});
  to.add({.method = "GET",
      .path = "/v1/sessions/{id}/decisions",
      .summary = "What waits for an answer",
      .answers = {{200, "`{permissions, uncertain, client_calls}`"}},
      .carry_out = [with](const auto& one, const auto& found) {
        with.sessions->state_at(found.at("id"), std::nullopt,
            answering_with<actors::state_as_of>(
                one, [](const auto& now) { return json_answer(decisions_document(*now.state)); }));
      }});
  to.add({.method = "POST",
      .path = "/v1/sessions/{id}/decisions/{decision_id}",
      .summary = "Answers an ask",
      .description = "The same answer again is 200, another is 409.",
      .body = body_of<permission_answer>("The answer"),
      .answers = {{200, "`{status}`"}},
      .carry_out = [with](const auto& one, const auto& found) { decide(with, one, found); }});
  to.add({.method = "POST",
      .path = "/v1/sessions/{id}/executions/{execution_id}/verdict",
      .summary = "Says what becomes of an uncertain call",
      .body = body_of<verdict_answer>("The verdict"),
      .answers = {{200, "`{status}`"}},
      .carry_out = [with](const auto& one, const auto& found) { judge(with, one, found); }});
  to.add({.method = "POST",
      .path = "/v1/sessions/{id}/executions/{execution_id}/result",
      .summary = "Brings the result of a client's tool",
      .description =
          "`output`: a string, a list of text and image blocks, or any other JSON, which the model "
          "is shown as text.",
      .body = body_of<tool_answer_of_client>("The result"),
      .answers = {{200, "`{status}`"}},
      .carry_out = [with](const auto& one, const auto& found) { bring_result(with, one, found); }});
}

} // namespace troupe::gateway
