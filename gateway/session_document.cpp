// Sessions as documents: the options first, then how the session stands.
#include "gateway/session_document.hpp"

#include "messages/event_codec.hpp"
#include "messages/json_mapping.hpp"

namespace troupe::gateway {

namespace {

// The row keeps what is known; the API tells what isn't as null.
void put_usage(json::writer& out, const json::value* kept) {
  out.key("usage").begin_object();
  for (const char* const name : {"input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens",
           "reasoning_tokens", "cost_usd"}) {
    const auto* const value = kept ? kept->find(name) : nullptr;
    out.key(name);
    value ? out.raw_text(value->source()) : out.null();
  }
  out.end_object();
}

options shown_options(const session::state& state) {
  options shown = *state.options;
  shown.provider = state.settings.provider;
  shown.model = state.settings.model;
  shown.effort = state.settings.effort;
  shown.service_tier = state.settings.service_tier;
  if (shown.instructions && shown.instructions->loaded)
    shown.instructions->ref.reset(); // as itself, however long
  return shown;
}

void put_waiting(json::writer& out, std::string_view name, const session::waiting_messages& queue) {
  out.key(name).begin_array();
  for (const auto& waiting : queue) {
    event_data shown = *waiting.data;
    each_text(shown, [](large_text& text) {
      if (text.loaded)
        text.ref.reset(); // as itself, however long
    });
    out.begin_object();
    json::put_members(out, std::get<message_queued>(shown));
    out.key("seq").number(waiting.seq).end_object();
  }
  out.end_array();
}

std::string_view name_of(session::call_phase phase) {
  static constexpr std::string_view names[] = {
      "requested", "asking", "ready", "running", "uncertain", "settled", "shown"};
  return names[static_cast<std::size_t>(phase)];
}

void put_call(json::writer& out, const session::call_state& call) {
  out.begin_object();
  if (call.phase == session::call_phase::asking)
    out.field("decision_id", call.decision_id);
  out.field("execution_id", call.execution_id).field("name", call.name).field("call_id", call.call_id);
  out.field("inference_id", call.call.inference_id).key("index").number(call.call.index);
  out.key("arguments").raw_text(call.effective_arguments().text);
  out.field("phase", name_of(call.phase)).key("attempt").number(call.attempt);
  out.key("client").boolean(call.client);
  if (call.phase == session::call_phase::uncertain)
    out.field("reason", call.failure ? "failed" : "interrupted");
  if (call.failure)
    out.field("error", *call.failure);
  if (call.deadline)
    out.field("deadline", to_string(*call.deadline));
  out.end_object();
}

template <class Which>
void put_calls(json::writer& out, std::string_view name, const session::state& now, const Which& which) {
  out.key(name).begin_array();
  for (const auto& call : now.calls)
    if (which(call))
      put_call(out, call);
  out.end_array();
}

void put_run(json::writer& out, const session::state& now) {
  if (!now.run)
    return;
  out.key("run").begin_object().field("run_id", now.run->id).key("turn").number(now.run->turn);
  out.key("inferences").number(now.run->inferences);
  if (now.run->aborted_by)
    out.field("aborted_by", *now.run->aborted_by);
  out.end_object();
  if (now.inference)
    out.key("inference")
        .begin_object()
        .field("inference_id", now.inference->data->inference_id)
        .key("open")
        .boolean(now.inference->open)
        .key("blocks")
        .number(now.inference->blocks)
        .end_object();
}

} // namespace

void put_session(json::writer& out, const actors::session_report& session, std::string_view tenant) {
  const auto& row = session.row;
  const auto views = json::parse(row.view.views);
  out.begin_object();
  if (session.state && session.state->exists())
    json::put_members(out, shown_options(*session.state));
  else
    out.field("id", row.id);
  out.field("tenant", tenant).field("status", row.view.status).key("head_seq").number(row.head);
  if (!session.run_id.empty())
    out.field("run_id", session.run_id);
  if (row.node)
    out.field("node", *row.node);
  put_usage(out, views ? views->find("usage") : nullptr);
  if (views)
    if (const auto* const error = views->find("error"))
      out.key("error").raw_text(error->source());
  if (const auto from = session.state ? session.state->forked_from : nullptr) {
    out.key("forked_from").begin_object().field("session", from->session);
    out.key("seq").number(from->seq).end_object();
  }
  out.field("created_at", to_string(row.created_at)).field("updated_at", to_string(row.updated_at));
  out.end_object();
}

std::string session_document(const actors::session_report& session, std::string_view tenant) {
  json::writer out;
  put_session(out, session, tenant);
  return out.take();
}

std::string state_document(const actors::state_as_of& folded) {
  const auto& now = *folded.state;
  json::writer out;
  out.begin_object().key("seq").number(folded.seq);
  if (!now.exists())
    return out.end_object().take();
  out.field("at", to_string(now.at)).field("status", session::status(now));
  out.key("needs_work").boolean(session::needs_work(now)).key("held").boolean(now.held);
  out.key("owed").boolean(now.owed == session::owed_kind::inference);
  out.key("options").raw_text(to_json(shown_options(now)));
  put_run(out, now);
  put_calls(out, "calls", now, [](const auto&) { return true; });
  put_waiting(out, "steer", now.steer);
  put_waiting(out, "send", now.sends);
  out.key("context").begin_object().key("messages").number(static_cast<std::int64_t>(now.context.size()));
  out.field("digest", now.context.digest()).end_object();
  out.key("voided_in_a_row").number(now.voided_in_a_row);
  out.key("usage").raw_text(json::to_text(now.usage));
  if (now.last_error)
    out.key("error").raw_text(json::to_text(*now.last_error));
  if (now.compaction)
    out.field("compaction_id", now.compaction->compaction_id);
  return out.end_object().take();
}

std::string queues_document(const session::state& now) {
  json::writer out;
  out.begin_object();
  put_waiting(out, "steer", now.steer);
  put_waiting(out, "send", now.sends);
  return out.end_object().take();
}

std::string context_document(std::int64_t seq, const std::vector<message>& messages) {
  json::writer out;
  out.begin_object().key("seq").number(seq).key("messages").begin_array();
  for (const auto& each : messages)
    out.raw_text(to_json(each));
  return out.end_array().end_object().take();
}

std::string decisions_document(const session::state& now) {
  using session::call_phase;
  json::writer out;
  out.begin_object();
  put_calls(out, "permissions", now, [](const auto& c) { return c.phase == call_phase::asking; });
  put_calls(out, "uncertain", now, [](const auto& c) { return c.phase == call_phase::uncertain; });
  put_calls(
      out, "client_calls", now, [](const auto& c) { return c.phase == call_phase::running && c.client; });
  return out.end_object().take();
}

} // namespace troupe::gateway
