// The payloads of events: one mapping over all described types.
#include "messages/event_codec.hpp"

#include "messages/json_reading.hpp"
#include "messages/json_scanning.hpp"
#include "messages/text.hpp"
#include "messages/upcast.hpp"

#include <charconv>
#include <unordered_map>

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

namespace {

/// The place of a type in `event_data`, or the number of types.
std::size_t index_of(std::string_view type) {
  static const auto places = [] {
    std::unordered_map<std::string_view, std::size_t> all;
    for (std::size_t i = 0; i < event_type_count; ++i)
      all[event_type_names[i]] = i;
    return all;
  }();
  const auto found = places.find(type);
  return found == places.end() ? event_type_count : found->second;
}

/// Whether the payload is in the very form that `encode` gives it; `out` is the data then.
bool scan(std::size_t index, std::string_view payload, event_data& out) {
  json::scanner scanner(payload);
  return is_utf8(payload) && boost::mp11::mp_with_index<event_type_count>(index, [&](auto known) {
    return scanner.get(out.emplace<known>());
  }) && scanner.at_end();
}

} // namespace

result<event_data> decode(std::string_view type, std::int16_t version, std::string_view payload) {
  const auto index = index_of(type);
  if (index == event_type_count)
    return problem{
        problem_code::corrupt, "`" + std::string(type) + "` is no event type that this version knows", {}};
  event_data out;
  if (version == newest_version(type) && scan(index, payload, out))
    return out;
  const auto current = upcast(type, version, payload);
  if (!current)
    return current.error();
  const auto parsed = json::parse(*current);
  if (!parsed)
    return problem{problem_code::corrupt, "`" + std::string(type) + "`: " + parsed.error().detail, {}};
  json::reader reader(false);
  boost::mp11::mp_with_index<event_type_count>(
      index, [&](auto known) { reader.get(*parsed, out.emplace<known>()); });
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

void append_line(std::string& out, const recorded_event& stored) {
  const auto number = [&](std::int64_t value) {
    char digits[24];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  };
  out += R"({"seq":)";
  number(stored.seq);
  out += R"(,"type":)";
  json::append_string(out, stored.type);
  if (stored.version != 1) {
    out += R"(,"v":)";
    number(stored.version);
  }
  out += R"(,"at":")";
  out += to_string(stored.at);
  out += '"';
  if (stored.run_id) {
    out += R"(,"run_id":)";
    json::append_string(out, *stored.run_id);
  }
  out += R"(,"data":)";
  out += stored.payload;
  out += '}';
}

std::string to_line(const recorded_event& stored) {
  std::string out;
  append_line(out, stored);
  return out;
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

std::string chain_of(std::span<const recorded_event> events, std::string chain) {
  std::string lines;
  for (std::size_t i = 0; i < events.size(); ++i) {
    append_line(lines, events[i]);
    lines += '\n';
    if (i + 1 < events.size() && events[i + 1].append_seq == events[i].append_seq)
      continue;
    const auto next = chain_after(chain, events[i].append_seq, events[i].command, lines);
    chain.assign(next.begin(), next.end());
    lines.clear();
  }
  return chain;
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
