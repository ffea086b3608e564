// A Chat Completions request read strictly: its settings and tools; messages are in chat_pairing.cpp.
#include "providers/gym/chat_rules.hpp"

#include "messages/text.hpp"
#include "providers/gym/chat_reader.hpp"

#include <algorithm>
#include <array>

namespace troupe::providers::gym {

using json::kind;

namespace {

constexpr std::array<std::string_view, 36> chat_fields{"model", "messages", "tools", "tool_choice",
    "parallel_tool_calls", "stream", "stream_options", "max_completion_tokens", "max_tokens",
    "reasoning_effort", "verbosity", "response_format", "temperature", "top_p", "stop", "seed", "n",
    "service_tier", "store", "metadata", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention",
    "safety_identifier", "user", "logprobs", "top_logprobs", "logit_bias", "presence_penalty",
    "frequency_penalty", "modalities", "audio", "prediction", "web_search_options", "functions",
    "function_call"};

constexpr std::array<std::string_view, 7> efforts{"none", "minimal", "low", "medium", "high", "xhigh", "max"};

} // namespace

conversation chat_reader::read() {
  if (!body_.is(kind::object))
    refuse("We could not parse the JSON body of your request: it is no object.");
  for (const auto& [key, ignored] : body_.members())
    if (std::find(chat_fields.begin(), chat_fields.end(), key) == chat_fields.end())
      refuse("Unknown parameter: '" + std::string(utf8_prefix(key, 100)) + "'.",
          std::string(utf8_prefix(key, 100)), "unknown_parameter");
  read_settings();
  read_tools();
  read_messages();
  return std::move(out_);
}

bool chat_reader::read_flag(std::string_view key) {
  const auto* flag = body_.find(key);
  if (flag != nullptr && !flag->is(kind::boolean) && !flag->is(kind::null))
    refuse(
        "Invalid type for '" + std::string(key) + "': expected a boolean.", std::string(key), "invalid_type");
  return flag != nullptr && flag->as_bool();
}

void chat_reader::read_settings() {
  out_.model = string_at(body_, "model");
  if (out_.model.empty())
    refuse("you must provide a model parameter");
  out_.stream = read_flag("stream");
  if (const auto* options = body_.find("stream_options"); options != nullptr && !options->is(kind::null)) {
    if (!out_.stream)
      refuse("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options");
    const auto* usage = options->find("include_usage");
    out_.stream_usage = usage != nullptr && usage->as_bool();
  }
  for (std::string key : {"max_completion_tokens", "max_tokens", "n"})
    if (const auto* most = body_.find(key); most != nullptr && !most->is(kind::null))
      if (!most->as_int64() || *most->as_int64() < 1)
        refuse("Invalid value for '" + key + "': expected an integer of at least 1.", key,
            "integer_below_min_value");
  if (const auto* heat = body_.find("temperature"); heat != nullptr && !heat->is(kind::null))
    if (auto degree = heat->as_double(); !degree || *degree < 0 || *degree > 2)
      refuse(
          "Invalid 'temperature': expected a number from 0 to 2.", "temperature", "decimal_above_max_value");
  if (const auto* effort = body_.find("reasoning_effort"); effort != nullptr && !effort->is(kind::null))
    if (std::find(efforts.begin(), efforts.end(), effort->as_string()) == efforts.end())
      refuse("Invalid value: '" + std::string(utf8_prefix(effort->as_string(), 60))
              + "'. Supported values are: 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', and 'max'.",
          "reasoning_effort", "invalid_value");
}

void chat_reader::read_tools() {
  std::set<std::string, std::less<>> names;
  const auto* tools = body_.find("tools");
  if (tools != nullptr && !tools->is(kind::null)) {
    if (!tools->is(kind::array))
      refuse("Invalid type for 'tools': expected an array of objects.", "tools", "invalid_type");
    if (tools->items().empty())
      refuse("Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array "
             "instead.",
          "tools", "empty_array");
    for (std::size_t i = 0; i < tools->items().size(); ++i)
      read_tool(tools->items()[i], "tools[" + std::to_string(i) + "]", names);
  }
  read_choice(names);
}

void chat_reader::read_choice(const std::set<std::string, std::less<>>& names) {
  for (std::string key : {"tool_choice", "parallel_tool_calls"})
    if (body_.find(key) != nullptr && names.empty())
      refuse("'" + key + "' is only allowed when 'tools' are specified.", key);
  const auto* choice = body_.find("tool_choice");
  if (choice == nullptr || !choice->is(kind::object) || string_at(*choice, "type") != "function")
    return;
  const auto* function = choice->find("function");
  auto name = function != nullptr ? string_at(*function, "name") : std::string_view();
  if (names.count(name) == 0)
    refuse("Tool choice '" + std::string(utf8_prefix(name, 100)) + "' not found in 'tools' parameter.",
        "tool_choice");
}

void chat_reader::read_tool(
    const value& tool, const std::string& at, std::set<std::string, std::less<>>& names) {
  auto type = string_at(tool, "type");
  if (type != "function" && type != "custom")
    refuse("Invalid value: '" + std::string(utf8_prefix(type, 60))
            + "'. Supported values are: 'function' and 'custom'.",
        at + ".type", "invalid_value");
  auto place = at + "." + std::string(type);
  const auto* function = tool.find(type);
  if (function == nullptr || !function->is(kind::object))
    refuse("Missing required parameter: '" + place + "'.", place, "missing_required_parameter");
  std::string name(string_at(*function, "name"));
  if (name.size() > name_max)
    refuse("Invalid '" + place + ".name': string too long. Expected a string with maximum length 64, but got "
            + "a string with length " + std::to_string(name.size()) + " instead.",
        place + ".name", "string_above_max_length");
  if (!is_name(name, name_max))
    refuse("Invalid '" + place
            + ".name': string does not match pattern. Expected a string that matches the pattern "
              "'^[a-zA-Z0-9_-]+$'.",
        place + ".name", "invalid_value");
  if (!names.insert(name).second)
    refuse("Invalid '" + place + ".name': tool names must be unique, but '" + name + "' is there twice.",
        place + ".name", "invalid_value");
  if (type == "function")
    read_schema(*function, name, place);
}

// Without parameters a function takes none.
void chat_reader::read_schema(const value& function, const std::string& name, const std::string& at) {
  const auto* schema = function.find("parameters");
  auto broken = [&](const std::string& what) {
    refuse("Invalid schema for function '" + name + "': " + what, at + ".parameters",
        "invalid_function_parameters");
  };
  if (schema != nullptr) {
    if (!schema->is(kind::object) || string_at(*schema, "type") != "object")
      broken("schema must be a JSON Schema of 'type: \"object\"'.");
    const auto* properties = schema->find("properties");
    if (properties != nullptr && !properties->is(kind::object))
      broken("'properties' is not of type 'object'.");
    const auto* required = schema->find("required");
    auto strings = required == nullptr
        || (required->is(kind::array)
            && std::all_of(required->items().begin(), required->items().end(),
                [](const value& one) { return one.is(kind::string); }));
    if (!strings)
      broken("'required' is not an array of strings.");
  }
  out_.tools.push_back({name, std::string(string_at(function, "description")),
      {schema != nullptr ? std::string(schema->source()) : R"({"type":"object"})"}});
}

std::variant<conversation, service_error> read_chat_request(std::string_view body) {
  auto parsed = json::parse(body);
  if (!parsed)
    return service_error{400, "invalid_request_error",
        "We could not parse the JSON body of your request: " + parsed.error().detail, {}, {}};
  try {
    auto read = chat_reader(*parsed).read();
    read.prompt_bytes = body.size();
    return read;
  } catch (const refusal& refused) {
    return service_error{400, "invalid_request_error", refused.message, refused.param, refused.code};
  }
}

} // namespace troupe::providers::gym
