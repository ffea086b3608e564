// Sessions: made, listed, shown, changed, erased.
#include "gateway/routes/api.hpp"
#include "gateway/routes/cursor.hpp"
#include "gateway/session_document.hpp"

#include "messages/event_codec.hpp"
#include "session/effort.hpp"

#include <algorithm>

namespace troupe::gateway {

namespace {

void check_count(
    std::vector<problem_at>& faults, std::string_view name, std::int64_t value, std::int64_t least) {
  if (value < least)
    faults.push_back({"/" + std::string(name),
        "is a whole number, " + std::to_string(least) + " or more; it was " + std::to_string(value)});
}

// More than any model takes; each is looked at whenever the session is loaded.
constexpr std::size_t client_tools_max = 256;
constexpr std::size_t tools_max = 256;
constexpr std::size_t permissions_max = 1000;
constexpr std::size_t name_bytes_max = 256;
constexpr std::int64_t retries_most = 100;

template <class T>
void check_length(std::vector<problem_at>& faults, std::string_view name, const std::optional<T>& list,
    std::size_t most, std::string_view of) {
  if (list && list->size() > most)
    faults.push_back({"/" + std::string(name),
        "has at most " + std::to_string(most) + " " + std::string(of) + "; it had "
            + std::to_string(list->size())});
}

// What the types of the fields don't say.
std::vector<problem_at> faults_of(const options& wanted, const api_bounds& limits) {
  std::vector<problem_at> faults;
  if (!wanted.id.empty())
    check_id(faults, wanted.id, limits);
  if (wanted.effort && !session::is_effort(*wanted.effort))
    faults.push_back({"/effort", session::no_effort(*wanted.effort)});
  check_count(faults, "max_turns", wanted.max_turns, 0);
  check_count(faults, "max_retries", wanted.max_retries, 0);
  if (wanted.max_retries > retries_most)
    faults.push_back({"/max_retries", "is at most " + std::to_string(retries_most)});
  check_length(faults, "tools", wanted.tools, tools_max, "names");
  check_length(faults, "client_tools", wanted.client_tools, client_tools_max, "tools");
  check_length(faults, "permissions", wanted.permissions, permissions_max, "rules");
  check_length(faults, "provider", wanted.provider, name_bytes_max, "bytes");
  check_length(faults, "model", wanted.model, name_bytes_max, "bytes");
  check_length(faults, "service_tier", wanted.service_tier, name_bytes_max, "bytes");
  if (wanted.max_output_tokens)
    check_count(faults, "max_output_tokens", *wanted.max_output_tokens, 1);
  if (wanted.temperature && (*wanted.temperature < 0 || *wanted.temperature > 2))
    faults.push_back({"/temperature", "is a number from 0 to 2"});
  check_metadata(faults, wanted.metadata, limits);
  return faults;
}

result<options> options_of(const request& asked, const api_bounds& limits) {
  auto wanted = read_body<options>(asked, true);
  if (!wanted)
    return wanted;
  if (auto faults = faults_of(*wanted, limits); !faults.empty())
    return bad_body(std::move(faults));
  return wanted;
}

struct fork_body {
  std::int64_t at = 0;
  std::optional<std::string> id;
  std::optional<json::raw> options;
};
BOOST_DESCRIBE_STRUCT(fork_body, (), (at, id, options))

std::vector<problem_at> faults_of(const fork_body& given, const api_bounds& limits) {
  std::vector<problem_at> faults;
  if (given.id)
    check_id(faults, *given.id, limits);
  if (!given.options)
    return faults;
  const auto parsed = json::parse(given.options->text);
  const auto changes = parsed ? options_from_json(*parsed) : result<options>(parsed.error());
  const auto wrong = changes ? faults_of(*changes, limits) : changes.error().errors;
  for (const auto& at : wrong)
    faults.push_back({"/options" + at.pointer, at.detail});
  return faults;
}

void fork(const api& with, const std::shared_ptr<exchange>& one, const matched& found) {
  auto given = read_body<fork_body>(one->asked());
  if (!given)
    return void(one->answer(given.error()));
  if (auto faults = faults_of(*given, with.limits); !faults.empty())
    return void(one->answer(bad_body(std::move(faults))));
  with.sessions->fork(found.at("id"), given->at, given->id.value_or(""), given->options.value_or(json::raw{}),
      answering_with<actors::session_report>(one, [tenant = found.by.tenant](const auto& made) {
        return json_answer(session_document(made, tenant), 201);
      }));
}

void create(const api& with, const std::shared_ptr<exchange>& one, const matched& found) {
  auto wanted = options_of(one->asked(), with.limits);
  if (!wanted)
    return void(one->answer(wanted.error()));
  with.sessions->create(*std::move(wanted),
      answering_with<actors::created_session>(one, [tenant = found.by.tenant](const auto& made) {
        return json_answer(session_document(made.session, tenant), made.is_new ? 201 : 200);
      }));
}

void list(const api& with, const std::shared_ptr<exchange>& one, const matched& found) {
  std::optional<persistence::page_mark> mark;
  if (const auto cursor = found.text("cursor"); cursor && !(mark = mark_of(*cursor)))
    return void(one->answer(bad_cursor(*cursor)));
  const auto limit = static_cast<std::size_t>(*found.integer("limit"));
  with.sessions->list(found.text("status").value_or(""), limit, mark,
      answering_with<std::vector<actors::session_report>>(
          one, [limit, tenant = found.by.tenant](const auto& page) {
            json::writer out;
            out.begin_object().key("sessions").begin_array();
            for (const auto& session : page)
              if (session.state)
                put_session(out, session, tenant);
            out.end_array().key("next_cursor");
            page.size() == limit ? out.string(cursor_of(page.back().row)) : out.null();
            return json_answer(out.end_object().take());
          }));
}

void update(const api& with, const std::shared_ptr<exchange>& one, const matched& found) {
  const auto wanted = options_of(one->asked(), with.limits);
  if (!wanted)
    return void(one->answer(wanted.error()));
  auto changes = json::compact(one->asked().body);
  if (!changes)
    return void(one->answer(changes.error()));
  with.sessions->update(found.at("id"), std::move(changes->text),
      answering_with<actors::session_report>(one, [tenant = found.by.tenant](const auto& session) {
        return json_answer(session_document(session, tenant));
      }));
}

} // namespace

void add_session_routes(router& to, const api& with) {
  to.add({.method = "POST",
      .path = "/v1/sessions",
      .summary = "Makes a session",
      .description =
          "With an `id` that exists: 200 and the session unchanged if the options are equal, else 409.",
      .body = body_of<options>("The options; none is required", false),
      .answers = {{201, "The new session"}, {200, "The session was there, with the same options"},
          {409, "The id exists with other options"}},
      .carry_out = [with](const auto& one, const auto& found) { create(with, one, found); }});
  to.add({.method = "GET",
      .path = "/v1/sessions",
      .summary = "Lists sessions, newest first",
      .parameters = {choice_parameter(
                         "status", "Only these", {"idle", "running", "waiting", "failed", "closed"}),
          integer_parameter("limit", "How many", 1, with.limits.page_limit_max, with.limits.page_limit),
          text_parameter("cursor", "The `next_cursor` of the page before", 64)},
      .answers = {{200, "`{sessions, next_cursor}`; the cursor is null on the last page"}},
      .carry_out = [with](const auto& one, const auto& found) { list(with, one, found); }});
  to.add({.method = "GET",
      .path = "/v1/sessions/{id}",
      .summary = "A session",
      .answers = {{200, "The session"}},
      .carry_out = [with](const auto& one, const auto& found) {
        with.sessions->find(found.at("id"),
            answering_with<actors::session_report>(one, [tenant = found.by.tenant](const auto& session) {
              return json_answer(session_document(session, tenant));
            }));
      }});
  to.add({.method = "PATCH",
      .path = "/v1/sessions/{id}",
      .summary = "Changes options",
      .description = "Any option but `id`, `provider`, `model`, `effort` and `service_tier`, which messages "
                     "carry. `null` takes back an option that needn't be there.",
      .body = body_of<options>("The options that change"),
      .answers = {{200, "The session"}},
      .carry_out = [with](const auto& one, const auto& found) { update(with, one, found); }});
  to.add({.method = "POST",
      .path = "/v1/sessions/{id}/fork",
      .summary = "Makes a session that goes on from an event of this one",
      .description =
          "What is open at the event `at` is closed in the fork, which is idle. `options` are those that "
          "differ; provider, model, effort and tier are those at the event unless they are named.",
      .body =
          body_of<fork_body>("Where, the new session's id (made up without one), and options that differ"),
      .answers = {{201, "The new session"}, {409, "The id exists"}},
      .carry_out = [with](const auto& one, const auto& found) { fork(with, one, found); }});
  to.add({.method = "DELETE",
      .path = "/v1/sessions/{id}",
      .summary = "Erases a session for good",
      .answers = {{204, "Erased"}},
      .carry_out = [with](const auto& one, const auto& found) {
        with.sessions->erase(
            found.at("id"), answering_with<bool>(one, [](const auto&) { return no_content(); }));
      }});
}

} // namespace troupe::gateway
