// Encodes events, and gathers the content that must be stored with them.
#include "actors/append_of.hpp"

#include "messages/event_codec.hpp"
#include "messages/upcast.hpp"

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

void put_count(json::writer& out, std::string_view name, const std::optional<std::int64_t>& count) {
  out.key(name);
  count ? out.number(*count) : out.null();
}

void put_open(
    json::writer& out, const session::state& now, session::call_phase phase, std::string_view list) {
  out.key(list).begin_array();
  for (const auto& call : now.calls)
    if (call.phase == phase)
      out.begin_object().field("execution_id", call.execution_id).field("name", call.name).end_object();
  out.end_array();
}

} // namespace

persistence::session_view view_of(const session::state& now) {
  json::writer views;
  views.begin_object().key("usage").begin_object();
  put_count(views, "input_tokens", now.usage.input_tokens);
  put_count(views, "output_tokens", now.usage.output_tokens);
  views.end_object();
  put_open(views, now, session::call_phase::asking, "permissions");
  put_open(views, now, session::call_phase::uncertain, "uncertain");
  put_open(views, now, session::call_phase::running, "running");
  if (!now.run && now.owed == session::owed_kind::inference)
    views.key("owed").boolean(true);
  if (now.last_error)
    views.field("error", now.last_error->message);
  views.end_object();
  return {std::string(session::status(now)), session::needs_work(now), session::wake_at(now), views.take()};
}

} // namespace troupe::actors
