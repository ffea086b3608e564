// A Messages request read strictly: its settings and tools; messages are in messages_pairing.cpp.
#include "providers/gym/messages_rules.hpp"

#include "messages/text.hpp"
#include "providers/gym/messages_reader.hpp"

#include <algorithm>
#include <array>

namespace troupe::providers::gym {

using json::kind;

namespace {

constexpr int cache_marks_max = 4;
constexpr std::int64_t thinking_budget_min = 1024;

constexpr std::array<std::string_view, 26> messages_fields{"model", "max_tokens", "messages", "system",
    "tools", "tool_choice", "thinking", "output_config", "stop_sequences", "stream", "metadata",
    "service_tier", "speed", "cache_control", "container", "inference_geo", "diagnostics", "temperature",
    "top_p", "top_k", "context_management", "compaction", "mcp_servers", "fallbacks", "thread", "betas"};

} // namespace

conversation messages_reader::read() {
  if (!body_.is(kind::object))
    refuse("The request body is not a JSON object.");
  for (const auto& [key, ignored] : body_.members())
    if (std::find(messages_fields.begin(), messages_fields.end(), key) == messages_fields.end())
      refuse(std::string(utf8_prefix(key, 100)) + ": Extra inputs are not permitted");
  read_settings();
  read_tools();
  read_messages();
  if (cache_marks_ > cache_marks_max)
    refuse("A maximum of 4 blocks with cache_control may be provided. Found " + std::to_string(cache_marks_)
        + ".");
  return std::move(out_);
}

void messages_reader::read_settings() {
  out_.model = string_at(body_, "model");
  if (out_.model.empty())
    refuse("model: Field required");
  const auto* most = body_.find("max_tokens");
  if (most == nullptr)
    refuse("max_tokens: Field required");
  if (!most->as_int64() || *most->as_int64() < 0)
    refuse("max_tokens: Input should be a valid integer, greater than or equal to 0");
  if (const auto* stream = body_.find("stream")) {
    if (!stream->is(kind::boolean))
      refuse("stream: Input should be a valid boolean");
    out_.stream = stream->as_bool();
  }
  read_thinking(*most->as_int64());
  if (const auto* heat = body_.find("temperature"))
    if (auto degree = heat->as_double(); !degree || *degree < 0 || *degree > 1)
      refuse("temperature: range: 0..1");
  if (const auto* system = body_.find("system"))
    read_system(*system);
  if (const auto* compaction = body_.find("compaction"); compaction && !compaction->is(kind::null)) {
    if (string_at(*compaction, "type") != "summarize")
      refuse("compaction.type: Input should be 'summarize'");
    out_.compacts = true;
  }
}

void messages_reader::read_thinking(std::int64_t most) {
  const auto* thinking = body_.find("thinking");
  if (thinking == nullptr)
    return;
  auto type = string_at(*thinking, "type");
  if (type == "disabled" || type == "between_tools")
    return;
  if (type != "enabled" && type != "adaptive")
    refuse("thinking.type: Input should be 'enabled', 'adaptive', 'disabled' or 'between_tools'");
  if (const auto* heat = body_.find("temperature"); heat != nullptr && heat->as_double() != 1.0)
    refuse("`temperature` may only be set to 1 when thinking is enabled.");
  if (type == "adaptive")
    return;
  const auto* budget = thinking->find("budget_tokens");
  if (budget == nullptr || !budget->as_int64())
    refuse("thinking.enabled.budget_tokens: Field required");
  if (*budget->as_int64() < thinking_budget_min)
    refuse("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
  if (*budget->as_int64() >= most)
    refuse("`max_tokens` must be greater than `thinking.budget_tokens`.");
}

void messages_reader::read_system(const value& system) {
  if (system.is(kind::string)) {
    out_.instructions = system.as_string();
    return;
  }
  if (!system.is(kind::array))
    refuse("system: Input should be a valid string or list");
  for (const auto& block : system.items()) {
    count_mark(block);
    if (string_at(block, "type") != "text")
      refuse("system: only text blocks are allowed");
    if (string_at(block, "text").empty())
      refuse("system: text content blocks must be non-empty");
    out_.instructions += string_at(block, "text");
  }
}

void messages_reader::read_tools() {
  const auto* tools = body_.find("tools");
  if (tools == nullptr)
    return;
  if (!tools->is(kind::array))
    refuse("tools: Input should be a valid list");
  std::set<std::string, std::less<>> names;
  for (std::size_t i = 0; i < tools->items().size(); ++i)
    read_tool(tools->items()[i], "tools." + std::to_string(i), names);
  const auto* choice = body_.find("tool_choice");
  if (choice == nullptr)
    return;
  auto type = string_at(*choice, "type");
  if (type != "auto" && type != "any" && type != "none" && type != "tool")
    refuse("tool_choice.type: Input should be 'auto', 'any', 'tool' or 'none'");
  if (type == "tool" && names.count(string_at(*choice, "name")) == 0)
    refuse("tool_choice.name: Tool '" + std::string(string_at(*choice, "name"))
        + "' not found in provided tools");
}

void messages_reader::read_tool(
    const value& tool, const std::string& at, std::set<std::string, std::less<>>& names) {
  count_mark(tool);
  auto type = string_at(tool, "type");
  std::string name(string_at(tool, "name"));
  if (!is_name(name, 128))
    refuse(at + ".name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'");
  if (!names.insert(name).second)
    refuse("tools: Tool names must be unique.");
  if (!type.empty() && type != "custom")
    return; // the service's own
  const auto* schema = tool.find("input_schema");
  if (schema == nullptr || !schema->is(kind::object))
    refuse(at + ".input_schema: Field required");
  if (string_at(*schema, "type") != "object")
    refuse(at + ".input_schema.type: Input should be 'object'");
  const auto* properties = schema->find("properties");
  if (properties != nullptr && !properties->is(kind::object))
    refuse(at + ".input_schema: JSON schema is invalid: properties must be an object");
  if (const auto* required = schema->find("required")) {
    auto strings = required->is(kind::array)
        && std::all_of(required->items().begin(), required->items().end(),
            [](const value& one) { return one.is(kind::string); });
    if (!strings)
      refuse(at + ".input_schema: JSON schema is invalid: required must be a list of strings");
  }
  out_.tools.push_back(
      {std::move(name), std::string(string_at(tool, "description")), {std::string(schema->source())}});
}

void messages_reader::count_mark(const value& block) {
  if (const auto* mark = block.find("cache_control"))
    cache_marks_ += !mark->is(kind::null);
}

std::variant<conversation, service_error> read_messages_request(std::string_view body) {
  auto parsed = json::parse(body);
  if (!parsed)
    return service_error{
        400, "invalid_request_error", "The request body is not valid JSON: " + parsed.error().detail};
  try {
    auto read = messages_reader(*parsed).read();
    read.prompt_bytes = body.size();
    return read;
  } catch (const refusal& refused) {
    return service_error{400, "invalid_request_error", refused.message};
  }
}

} // namespace troupe::providers::gym
