// A Messages request read strictly: fields first, then the blocks of each message, then what must pair.
#include "providers/gym/rules.hpp"

#include "messages/text.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace troupe::providers::gym {

namespace {

using json::kind;
using json::value;

constexpr std::size_t messages_max = 100'000;
constexpr int cache_marks_max = 4;

constexpr std::array<std::string_view, 26> known_fields{"model", "max_tokens", "messages", "system", "tools",
    "tool_choice", "thinking", "output_config", "stop_sequences", "stream", "metadata", "service_tier",
    "speed", "cache_control", "container", "inference_geo", "diagnostics", "temperature", "top_p", "top_k",
    "context_management", "compaction", "mcp_servers", "fallbacks", "thread", "betas"};

struct refusal {
  std::string message;
};

[[noreturn]] void refuse(std::string message) { throw refusal{std::move(message)}; }

std::string_view string_at(const value& in, std::string_view key) {
  const auto* found = in.find(key);
  return found != nullptr ? std::string_view(found->as_string()) : std::string_view();
}

bool is_name(std::string_view text, std::size_t most) {
  return !text.empty() && text.size() <= most && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos;
}

/// One message after those of one role in a row are merged, as the service does it.
struct merged {
  std::string role;
  std::vector<std::pair<std::string, const value*>> blocks; ///< with their place
};

class reader {
 public:
  explicit reader(const value& body) : body_(body) {}

  conversation read() {
    if (!body_.is(kind::object))
      refuse("The request body is not a JSON object.");
    for (const auto& [key, ignored] : body_.members())
      if (std::find(known_fields.begin(), known_fields.end(), key) == known_fields.end())
        refuse(std::string(utf8_prefix(key, 100)) + ": Extra inputs are not permitted");
    read_settings();
    read_tools();
    read_messages();
    if (cache_marks_ > cache_marks_max)
      refuse("A maximum of 4 blocks with cache_control may be provided. Found " + std::to_string(cache_marks_)
          + ".");
    return std::move(out_);
  }

 private:
  void read_settings() {
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
    if (const auto* heat = body_.find("temperature"))
      if (auto degree = heat->as_double(); !degree || *degree < 0 || *degree > 1)
        refuse("temperature: range: 0..1");
    if (const auto* system = body_.find("system"))
      read_system(*system);
  }

  void read_system(const value& system) {
    if (system.is(kind::string))
      return;
    if (!system.is(kind::array))
      refuse("system: Input should be a valid string or list");
    for (const auto& block : system.items()) {
      count_mark(block);
      if (string_at(block, "type") != "text")
        refuse("system: only text blocks are allowed");
      if (string_at(block, "text").empty())
        refuse("system: text content blocks must be non-empty");
    }
  }

  void read_tools() {
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

  void read_tool(const value& tool, const std::string& at, std::set<std::string, std::less<>>& names) {
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

  void read_messages() {
    const auto* messages = body_.find("messages");
    if (messages == nullptr || !messages->is(kind::array))
      refuse("messages: Field required");
    const auto& list = messages->items();
    if (list.empty())
      refuse("messages: at least one message is required");
    if (list.size() > messages_max)
      refuse("messages: at most 100000 messages are allowed");
    std::vector<merged> said;
    for (std::size_t i = 0; i < list.size(); ++i)
      read_message(list[i], i, i + 1 == list.size(), said);
    check_pairs(said);
    for (const auto& one : said)
      out_.inference += one.role == "assistant";
    for (const auto& [at, block] : said.back().blocks)
      out_.has_tool_result = out_.has_tool_result || string_at(*block, "type") == "tool_result";
  }

  void read_message(const value& message, std::size_t index, bool last, std::vector<merged>& said) {
    auto at = "messages." + std::to_string(index);
    auto role = string_at(message, "role");
    if (role != "user" && role != "assistant" && (role != "system" || index == 0))
      refuse(at + ".role: Input should be 'user' or 'assistant'");
    if (index == 0 && role != "user")
      refuse("messages: first message must use the \"user\" role");
    const auto* content = message.find("content");
    if (content == nullptr)
      refuse(at + ".content: Field required");
    if (said.empty() || said.back().role != role)
      said.push_back({std::string(role), {}});
    auto may_be_empty = last && role == "assistant";
    if (content->is(kind::string)) {
      if (content->as_string().empty() && !may_be_empty)
        refuse(at
            + ": all messages must have non-empty content except for the optional final assistant message");
      if (role == "user")
        heard(content->as_string());
      return;
    }
    if (!content->is(kind::array))
      refuse(at + ".content: Input should be a valid string or list");
    if (content->items().empty() && !may_be_empty)
      refuse(
          at + ": all messages must have non-empty content except for the optional final assistant message");
    for (std::size_t i = 0; i < content->items().size(); ++i) {
      auto place = at + ".content." + std::to_string(i);
      const auto& block = content->items()[i];
      count_mark(block);
      read_block(block, place, role == "assistant");
      said.back().blocks.emplace_back(place, &block);
    }
    if (role == "assistant" && !content->items().empty()) {
      auto type = string_at(content->items().back(), "type");
      if (type == "thinking" || type == "redacted_thinking")
        refuse(at + ": The final block in an assistant message cannot be `thinking`.");
    }
  }

  void read_block(const value& block, const std::string& at, bool assistant) {
    auto type = string_at(block, "type");
    if (type == "text") {
      auto text = string_at(block, "text");
      if (text.empty())
        refuse("messages: text content blocks must be non-empty");
      if (is_blank(text))
        refuse("messages: text content blocks must contain non-whitespace text");
      if (!assistant)
        heard(text);
    } else if (type == "tool_use") {
      if (!assistant)
        refuse(at + ": `tool_use` blocks can only be in `assistant` messages");
      read_call(block, at);
    } else if (type == "tool_result") {
      if (assistant)
        refuse(at + ": `tool_result` blocks can only be in `user` messages");
      read_result(block, at);
    } else if (type == "thinking") {
      if (!assistant || string_at(block, "signature").empty())
        refuse(at + ".thinking.signature: Field required");
    } else if (type == "redacted_thinking") {
      if (!assistant || string_at(block, "data").empty())
        refuse(at + ".redacted_thinking.data: Field required");
    } else if (type == "image" || type == "document") {
      if (assistant)
        refuse(at + ": `" + std::string(type) + "` blocks can only be in `user` messages");
      read_source(block, at);
    } else if (type.empty()) {
      refuse(at + ".type: Field required");
    } else if (!assistant && type != "search_result" && type != "container_upload") {
      refuse(at + ": Input tag '" + std::string(utf8_prefix(type, 60))
          + "' found using 'type' does not match any of the expected tags");
    }
  }

  void read_source(const value& block, const std::string& at) {
    const auto* source = block.find("source");
    if (source == nullptr)
      refuse(at + ".source: Field required");
    auto type = string_at(*source, "type");
    if (type == "base64" && (string_at(*source, "data").empty() || string_at(*source, "media_type").empty()))
      refuse(at + ".source.base64: media_type and data are required");
    if (type == "url" && string_at(*source, "url").empty())
      refuse(at + ".source.url.url: Field required");
    if (type != "base64" && type != "url" && type != "file" && type != "text" && type != "content")
      refuse(at + ".source: Input tag does not match any of the expected tags");
  }

  void read_call(const value& block, const std::string& at) {
    std::string id(string_at(block, "id"));
    if (!is_name(id, 256))
      refuse(at + ".tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'");
    if (!is_name(string_at(block, "name"), 200))
      refuse(at + ".tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'");
    if (const auto* input = block.find("input"); input == nullptr || !input->is(kind::object))
      refuse(at + ".tool_use.input: Input should be a valid dictionary");
    if (!out_.call_ids.insert(id).second)
      refuse(at + ": `tool_use` ids must be unique");
    call_names_[id] = string_at(block, "name");
  }

  void read_result(const value& block, const std::string& at) {
    std::string id(string_at(block, "tool_use_id"));
    if (id.empty())
      refuse(at + ".tool_result.tool_use_id: Field required");
    seen_result result{call_names_[id], {}, false};
    if (const auto* failed = block.find("is_error"))
      result.is_error = failed->as_bool();
    if (const auto* content = block.find("content")) {
      if (!content->is(kind::string) && !content->is(kind::array))
        refuse(at + ".tool_result.content: Input should be a valid string or list");
      result.text = content->as_string();
      for (const auto& part : content->items()) {
        auto type = string_at(part, "type");
        if (type == "text" && string_at(part, "text").empty())
          refuse("messages: text content blocks must be non-empty");
        if (type == "image" || type == "document")
          read_source(part, at + ".tool_result.content");
        result.text += (result.text.empty() ? "" : "\n") + std::string(string_at(part, "text"));
      }
    }
    out_.results.push_back(std::move(result));
  }

  // Words of the user begin something new: what tools said before it is done with.
  void heard(std::string_view text) {
    if (text.starts_with("<system>"))
      return;
    out_.last_user_text = text;
    out_.results.clear();
  }

  void check_pairs(const std::vector<merged>& said) {
    std::set<std::string_view> asked;
    for (std::size_t i = 0; i < said.size(); ++i) {
      check_results(said[i], asked);
      asked.clear();
      for (const auto& [at, block] : said[i].blocks)
        if (string_at(*block, "type") == "tool_use")
          asked.insert(string_at(*block, "id"));
      if (i + 1 == said.size() && !asked.empty())
        refuse_unanswered(said[i].blocks.front().first, asked);
    }
  }

  void check_results(const merged& message, const std::set<std::string_view>& asked) {
    std::set<std::string_view> answered;
    bool others = false;
    for (const auto& [at, block] : message.blocks) {
      if (string_at(*block, "type") != "tool_result") {
        others = true;
        continue;
      }
      auto id = string_at(*block, "tool_use_id");
      if (asked.count(id) == 0)
        refuse(at
            + ": unexpected `tool_use_id` found in `tool_result` blocks: " + std::string(utf8_prefix(id, 100))
            + ". Each `tool_result` block must have a corresponding `tool_use` block in the previous "
              "message.");
      if (!answered.insert(id).second)
        refuse(at + ": each tool_use must have a single result. Found multiple `tool_result` blocks with id: "
            + std::string(id));
      if (others)
        refuse(at + ": `tool_result` blocks must come before any other block of the message");
    }
    std::set<std::string_view> open;
    std::set_difference(
        asked.begin(), asked.end(), answered.begin(), answered.end(), std::inserter(open, open.end()));
    if (!open.empty())
      refuse_unanswered(message.blocks.empty() ? "messages" : message.blocks.front().first, open);
  }

  [[noreturn]] void refuse_unanswered(const std::string& at, const std::set<std::string_view>& ids) {
    std::string list;
    for (auto id : ids)
      list += (list.empty() ? "" : ", ") + std::string(id);
    refuse(at.substr(0, at.find(".content"))
        + ": `tool_use` ids were found without `tool_result` blocks immediately after: " + list
        + ". Each `tool_use` block must have a corresponding `tool_result` block in the next message.");
  }

  void count_mark(const value& block) {
    if (const auto* mark = block.find("cache_control"))
      cache_marks_ += !mark->is(kind::null);
  }

  const value& body_;
  conversation out_;
  std::map<std::string, std::string> call_names_;
  int cache_marks_ = 0;
};

} // namespace

std::variant<conversation, service_error> read_messages_request(std::string_view body) {
  auto parsed = json::parse(body);
  if (!parsed)
    return service_error{
        400, "invalid_request_error", "The request body is not valid JSON: " + parsed.error().detail};
  try {
    auto read = reader(*parsed).read();
    read.prompt_bytes = body.size();
    return read;
  } catch (const refusal& refused) {
    return service_error{400, "invalid_request_error", refused.message};
  }
}

std::string_view error_type_of(int status) {
  switch (status) {
  case 400:
    return "invalid_request_error";
  case 401:
    return "authentication_error";
  case 402:
    return "billing_error";
  case 403:
    return "permission_error";
  case 404:
    return "not_found_error";
  case 408:
    return "timeout_error";
  case 409:
    return "conflict_error";
  case 413:
    return "request_too_large";
  case 429:
    return "rate_limit_error";
  case 504:
    return "timeout_error";
  case 529:
    return "overloaded_error";
  default:
    return status >= 500 ? "api_error" : "invalid_request_error";
  }
}

} // namespace troupe::providers::gym
