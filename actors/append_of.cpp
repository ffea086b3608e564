// Encodes events, and gathers the content that must be stored with them.
#include "actors/append_of.hpp"

#include "messages/event_codec.hpp"
#include "messages/json_mapping.hpp"
#include "messages/upcast.hpp"
#include "session/evolve.hpp"

namespace troupe::actors {

persistence::append append_of(const persistence::session_key& session, std::int64_t epoch,
    command_kind command, const std::vector<event>& events, std::string append_id) {
  persistence::append out;
  out.session = session;
  out.epoch = epoch;
  out.command = command;
  out.append_id = std::move(append_id);
  for (const auto& event : events) {
    out.events.push_back({std::string(type_name(event.data)), newest_version(type_name(event.data)), event.at,
        event.run_id, encode(event.data)});
    each_blob(event.data, [&](const blob_ref& ref, const std::string& content) {
      out.blobs.push_back({ref.blob, content});
    });
  }
  return out;
}

namespace {

void put_usage(json::writer& out, const usage& used) {
  out.key("usage").begin_object();
  const auto count = [&](std::string_view name, const std::optional<std::int64_t>& value) {
    if (value)
      out.key(name).number(*value);
  };
  count("input_tokens", used.input_tokens);
  count("output_tokens", used.output_tokens);
  count("cache_read_tokens", used.cache_read_tokens);
  count("cache_write_tokens", used.cache_write_tokens);
  count("reasoning_tokens", used.reasoning_tokens);
  if (used.cost_usd)
    out.key("cost_usd").number(*used.cost_usd);
  out.end_object();
}

// Lists of nothing are left out: the row is written with every append.
template <class Open>
void put_calls(json::writer& out, const session::state& now, std::string_view list, const Open& is_open) {
  bool any = false;
  for (const auto& call : now.calls) {
    if (!is_open(call))
      continue;
    if (!std::exchange(any, true))
      out.key(list).begin_array();
    out.begin_object();
    if (call.phase == session::call_phase::asking)
      out.field("decision_id", call.decision_id);
    out.field("execution_id", call.execution_id).field("name", call.name).end_object();
  }
  if (any)
    out.end_array();
}

} // namespace

persistence::session_view view_of(const session::state& now) {
  json::writer views;
  views.begin_object();
  put_usage(views, now.usage);
  using session::call_phase;
  put_calls(views, now, "permissions", [](const auto& c) { return c.phase == call_phase::asking; });
  put_calls(views, now, "uncertain", [](const auto& c) { return c.phase == call_phase::uncertain; });
  put_calls(views, now, "running", [](const auto& c) { return c.phase == call_phase::running && !c.client; });
  put_calls(
      views, now, "client_calls", [](const auto& c) { return c.phase == call_phase::running && c.client; });
  if (!now.run && now.owed == session::owed_kind::inference)
    views.key("owed").boolean(true);
  if (now.last_error)
    views.key("error").raw_text(json::to_text(*now.last_error));
  views.end_object();
  return {std::string(session::status(now)), session::needs_work(now), session::wake_at(now), views.take()};
}

persistence::append decided_append(const persistence::session_key& session, std::int64_t epoch,
    session::state& now, command_kind command, const std::vector<event>& events, std::string append_id) {
  auto append = append_of(session, epoch, command, events, std::move(append_id));
  for (const auto& happened : events)
    session::evolve(now, happened);
  append.view = view_of(now);
  return append;
}

result<std::vector<recorded_event>> commit_decided(persistence::journal& journal,
    const persistence::session_row& row, session::state& now, command_kind command,
    const std::vector<event>& events, std::string append_id) {
  session::state next = now;
  auto append = decided_append(row.key, row.epoch, next, command, events, std::move(append_id));
  append.expected_head = now.head;
  auto outcomes = journal.append_all({append});
  if (!outcomes)
    return outcomes.error();
  if (const auto* const no = std::get_if<persistence::refused>(&outcomes->front()))
    return no->why;
  auto* const committed = std::get_if<persistence::committed>(&outcomes->front());
  if (!committed)
    return problem{problem_code::fenced, "the session `" + row.id + "` is another one's now; try again", {}};
  now = std::move(next);
  return std::move(committed->events);
}

} // namespace troupe::actors
