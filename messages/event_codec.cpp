// The payloads of events: one mapping over all described types.
#include "messages/event_codec.hpp"

#include "messages/json_reading.hpp"
#include "messages/upcast.hpp"

#include <algorithm>

namespace troupe {

const std::array<std::string_view, event_type_count> event_type_names = {"session.created", "session.forked",
    "session.updated", "session.parked", "session.unparked", "session.closing", "session.closed",
    "message.queued", "message.withdrawn", "input.replaced", "messages.consumed", "settings.changed",
    "context.reset", "context.cleared", "context.trimmed", "run.started", "turn.started", "inference.started",
    "assistant.block", "inference.finished", "output.voided", "tools.requested", "tool.decided",
    "permission.requested", "permission.decided", "permission.expired", "tool.started", "tool.receipt",
    "tool.result", "tool.uncertain", "tool.resolved", "abort.requested", "compaction.started",
    "compaction.finished", "compaction.failed", "notice.added", "turn.finished", "run.finished",
    "child.spawned", "child.settled", "report.delivered", "value.written", "value.deleted", "timer.set",
    "timer.fired", "timer.cancelled"};

std::string_view type_name(const event_data& data) { return event_type_names[data.index()]; }

std::string encode(const event_data& data) {
  return std::visit([](const auto& held) { return json::to_text(held); }, data);
}

namespace {

std::string joined(const std::vector<problem_at>& faults) {
  std::string out;
  for (const auto& fault : faults)
    out += (out.empty() ? "" : "; ") + fault.pointer + ": " + fault.detail;
  return out;
}

} // namespace

result<event_data> decode(std::string_view type, std::int16_t version, std::string_view payload) {
  const auto named = std::find(event_type_names.begin(), event_type_names.end(), type);
  if (named == event_type_names.end())
    return problem{
        problem_code::corrupt, "`" + std::string(type) + "` is no event type that this version knows", {}};
  const auto current = upcast(type, version, payload);
  if (!current)
    return current.error();
  const auto parsed = json::parse(*current);
  if (!parsed)
    return problem{problem_code::corrupt, "`" + std::string(type) + "`: " + parsed.error().detail, {}};
  json::reader reader(false);
  event_data out;
  boost::mp11::mp_with_index<event_type_count>(static_cast<std::size_t>(named - event_type_names.begin()),
      [&](auto index) { reader.get(*parsed, out.emplace<index>()); });
  if (!reader.faults().empty())
    return problem{
        problem_code::corrupt, "`" + std::string(type) + "`: " + joined(reader.faults()), reader.faults()};
  return out;
}

result<event> decode(const recorded_event& stored) {
  auto data = decode(stored.type, stored.version, stored.payload);
  if (!data) {
    problem fault = data.error();
    fault.detail = "event " + std::to_string(stored.seq) + ": " + fault.detail;
    return fault;
  }
  return event{stored.seq, stored.at, stored.run_id, std::move(*data)};
}

std::string to_line(const recorded_event& stored) {
  json::writer out;
  out.begin_object().key("seq").number(stored.seq).field("type", stored.type);
  if (stored.version != 1)
    out.key("v").number(std::int64_t{stored.version});
  out.field("at", to_string(stored.at));
  if (stored.run_id)
    out.field("run_id", *stored.run_id);
  out.key("data").raw_text(stored.payload).end_object();
  return out.take();
}

result<recorded_event> from_line(std::string_view line) {
  const auto parsed = json::parse(line);
  if (!parsed)
    return parsed.error();
  json::reader reader(false);
  recorded_event out;
  std::int64_t version = 1;
  std::string at;
  json::raw data;
  auto field = [&](std::string_view name, auto& target, bool required) {
    const auto* const found = parsed->find(name);
    reader.at(name, [&] {
      found ? reader.get(*found, target) : required ? reader.fault("is missing") : void();
    });
  };
  field("seq", out.seq, true);
  field("type", out.type, true);
  field("v", version, false);
  field("at", at, true);
  field("data", data, true);
  field("append", out.append_seq, false);
  if (parsed->find("run_id"))
    field("run_id", out.run_id.emplace(), true);
  if (!reader.faults().empty())
    return problem{problem_code::corrupt, "no event: " + joined(reader.faults()), reader.faults()};
  const auto moment = parse_timestamp(at);
  if (!moment)
    return moment.error();
  out.at = *moment;
  out.version = static_cast<std::int16_t>(version);
  out.payload = std::move(data.text);
  return out;
}

hash chain_after(
    std::string_view before, std::int64_t append_seq, command_kind command, const std::string& lines) {
  json::writer head;
  head.begin_object()
      .key("append")
      .number(append_seq)
      .key("command")
      .number(std::int64_t{static_cast<std::int16_t>(command)});
  head.end_object();
  sha256 running;
  running.update(before);
  running.update(head.text());
  running.update("\n");
  running.update(lines);
  return running.finish();
}

result<content> content_from_json(const json::value& value) {
  content out;
  json::reader reader(true);
  reader.get(value, out);
  if (!reader.faults().empty())
    return problem{
        problem_code::invalid_input, "the content isn't a string or a list of blocks", reader.faults()};
  return out;
}

result<options> options_from_json(const json::value& value) {
  options out;
  json::reader reader(true);
  reader.get(value, out);
  if (!reader.faults().empty())
    return problem{problem_code::invalid_input, "the options are not valid: " + joined(reader.faults()),
        reader.faults()};
  return out;
}

std::string to_json(const content& value) { return json::to_text(value); }
std::string to_json(const std::vector<content_part>& parts) { return json::to_text(parts); }
std::string to_json(const block& value) { return json::to_text(value); }
std::string to_json(const options& value) { return json::to_text(value); }

} // namespace troupe
