// Reading rules strictly: a script that is misspelt must not pass for one that matches nothing.
#include "providers/gym/script.hpp"

#include "messages/text.hpp"

#include <algorithm>
#include <array>

namespace troupe::providers::gym {

namespace {

using json::kind;
using json::value;

constexpr std::int64_t delay_ms_max = 3'600'000;

constexpr std::array<std::string_view, 12> step_names{"text", "thinking", "call", "delay_ms", "chunk_bytes",
    "hold", "stop", "usage", "http_error", "stream_error", "disconnect", "garbage"};

problem wrong(std::string detail) { return {problem_code::invalid_input, std::move(detail), {}}; }

template <std::size_t N>
problem unknown_key(
    std::string_view where, std::string_view name, const std::array<std::string_view, N>& known) {
  auto near = nearest_name(name, known.data(), known.data() + known.size());
  return wrong(std::string(where) + " has no key \"" + std::string(utf8_prefix(name, 100)) + "\""
      + (near.empty() ? "" : "; did you mean \"" + near + "\"?"));
}

/// Reads the members of an object, remembering the first that is wrong.
class fields {
 public:
  fields(std::string where, const value& object) : where_(std::move(where)), object_(object) {
    if (!object.is(kind::object))
      fault = wrong(where_ + " must be an object");
  }
  template <std::size_t N> void allow(const std::array<std::string_view, N>& known) {
    for (const auto& [key, ignored] : object_.members())
      if (std::find(known.begin(), known.end(), key) == known.end() && !fault)
        fault = unknown_key(where_, key, known);
  }
  std::optional<std::string> text(std::string_view key) {
    const auto* found = object_.find(key);
    if (found == nullptr)
      return std::nullopt;
    if (!found->is(kind::string))
      refuse(key, "a string");
    return found->as_string();
  }
  std::optional<std::int64_t> integer(std::string_view key, std::int64_t least, std::int64_t most) {
    const auto* found = object_.find(key);
    if (found == nullptr)
      return std::nullopt;
    auto number = found->as_int64();
    if (!number || *number < least || *number > most)
      refuse(key, "an integer from " + std::to_string(least) + " to " + std::to_string(most));
    return number;
  }
  std::optional<bool> boolean(std::string_view key) {
    const auto* found = object_.find(key);
    if (found == nullptr)
      return std::nullopt;
    if (!found->is(kind::boolean))
      refuse(key, "true or false");
    return found->as_bool();
  }
  const value* find(std::string_view key) const { return object_.find(key); }
  void refuse(std::string_view key, const std::string& rule) {
    if (!fault)
      fault = wrong(where_ + "." + std::string(key) + " must be " + rule);
  }

  std::optional<problem> fault;

 private:
  std::string where_;
  const value& object_;
};

result<step> read_call(const value& given) {
  fields in("call", given);
  in.allow(std::array<std::string_view, 4>{"name", "arguments", "id", "raw_arguments"});
  call_tool call{in.text("name").value_or(""), "{}", in.text("id").value_or("")};
  if (call.name.empty())
    in.refuse("name", "the name of a tool");
  if (const auto* arguments = in.find("arguments")) {
    if (auto compact = json::compact(arguments->source()))
      call.arguments = compact->text.text;
  }
  if (auto raw = in.text("raw_arguments"))
    call.arguments = *raw;
  if (in.fault)
    return *in.fault;
  return step{std::move(call)};
}

result<step> read_error(const value& given) {
  fields in("http_error", given);
  in.allow(std::array<std::string_view, 4>{"status", "type", "message", "retry_after"});
  answer_error error;
  error.status = static_cast<int>(in.integer("status", 300, 599).value_or(0));
  if (error.status == 0)
    in.refuse("status", "a status from 300 to 599");
  error.type = in.text("type").value_or("");
  error.message = in.text("message").value_or("");
  if (const auto* after = in.find("retry_after")) {
    error.retry_after = after->as_double();
    if (!error.retry_after)
      in.refuse("retry_after", "a number of seconds");
  }
  if (in.fault)
    return *in.fault;
  return step{std::move(error)};
}

result<step> read_step(const value& given) {
  fields in("a step", given);
  if (!in.fault && given.members().size() != 1)
    in.fault = wrong("a step has exactly one key");
  in.allow(step_names);
  if (in.fault)
    return *in.fault;
  const auto& [name, what] = given.members().front();
  step made;
  if (name == "text")
    made = say{in.text(name).value_or("")};
  else if (name == "thinking")
    made = think{in.text(name).value_or("")};
  else if (name == "call")
    return read_call(what);
  else if (name == "delay_ms")
    made = wait_for{in.integer(name, 0, delay_ms_max).value_or(0)};
  else if (name == "chunk_bytes")
    made = cut_text{static_cast<std::size_t>(in.integer(name, 0, 1 << 24).value_or(0))};
  else if (name == "hold")
    made = hold_at{in.text(name).value_or("")};
  else if (name == "stop")
    made = stop_with{what.is(kind::null) ? "" : in.text(name).value_or("")};
  else if (name == "usage")
    made = report_usage{std::string(what.source())};
  else if (name == "http_error")
    return read_error(what);
  else if (name == "stream_error") {
    fields error("stream_error", what);
    error.allow(std::array<std::string_view, 2>{"type", "message"});
    made = break_stream{error.text("type").value_or("api_error"), error.text("message").value_or("")};
    in.fault = error.fault;
  } else if (name == "disconnect") {
    if (!in.boolean(name).value_or(false))
      in.refuse(name, "true");
    made = hang_up{};
  } else
    made = send_garbage{in.text(name).value_or("")};
  if (name == "usage" && !what.is(kind::object))
    in.refuse(name, "an object");
  if (in.fault)
    return *in.fault;
  return made;
}

result<rule> read_rule(const value& given) {
  fields in("the rule", given);
  in.allow(std::array<std::string_view, 3>{"when", "reply", "times"});
  rule made;
  made.times = in.integer("times", 1, INT64_MAX);
  if (const auto* when = in.find("when"); when != nullptr && !in.fault) {
    fields asked("when", *when);
    asked.allow(
        std::array<std::string_view, 4>{"last_user_contains", "inference", "model", "has_tool_result"});
    made.when.last_user_contains = asked.text("last_user_contains");
    made.when.inference = asked.integer("inference", 1, INT64_MAX);
    made.when.model = asked.text("model");
    made.when.has_tool_result = asked.boolean("has_tool_result");
    in.fault = asked.fault;
  }
  const auto* reply = in.find("reply");
  if (reply == nullptr || !reply->is(kind::array))
    in.refuse("reply", "a list of steps");
  if (in.fault)
    return *in.fault;
  for (const auto& one : reply->items()) {
    auto read = read_step(one);
    if (!read)
      return read.error();
    made.reply.push_back(std::move(*read));
  }
  return made;
}

} // namespace

bool condition::holds(const sighting& seen) const {
  return (!last_user_contains || seen.last_user_text.find(*last_user_contains) != std::string_view::npos)
      && (!inference || *inference == seen.inference) && (!model || *model == seen.model)
      && (!has_tool_result || *has_tool_result == seen.has_tool_result);
}

result<script> script::parse(std::string_view json_lines) {
  script made;
  std::size_t number = 0;
  while (!json_lines.empty()) {
    auto end = std::min(json_lines.find('\n'), json_lines.size());
    auto line = json_lines.substr(0, end);
    json_lines.remove_prefix(std::min(end + 1, json_lines.size()));
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos)
      continue;
    auto parsed = json::parse(line);
    auto read = parsed ? read_rule(*parsed) : result<rule>(parsed.error());
    if (!read)
      return wrong("line " + std::to_string(number) + " of the gym's script: " + read.error().detail);
    made.rules_.push_back(std::move(*read));
  }
  return made;
}

const std::vector<step>* script::next_reply(const sighting& seen) {
  for (auto& one : rules_) {
    if (one.times == 0 || !one.when.holds(seen))
      continue;
    if (one.times)
      --*one.times;
    return &one.reply;
  }
  return nullptr;
}

} // namespace troupe::providers::gym
