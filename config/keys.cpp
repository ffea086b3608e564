// Every key by one table: its name, where it goes, its bounds.
#include "config/keys.hpp"

namespace troupe::config {

namespace {

constexpr std::int64_t gibibyte = 1'073'741'824;
constexpr std::int64_t message_bytes = 16 * 1'048'576; ///< a request that holds more is refused everywhere
constexpr std::int64_t day_ms = 86'400'000;
constexpr std::int64_t day_seconds = 86'400;

std::optional<std::string> host_and_port(const std::string& value) {
  const auto colon = value.rfind(':');
  const std::string port = colon == std::string::npos ? "" : value.substr(colon + 1);
  const bool digits = !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == port.npos;
  if (value.empty() || (digits && colon > 0 && std::stoi(port) <= 65535))
    return std::nullopt;
  return "isn't HOST:PORT, as 127.0.0.1:8420 or [::1]:8420 (port 0: any that is free)";
}

std::optional<std::string> web_address(const std::string& value) {
  if (value.empty() || value.starts_with("http://") || value.starts_with("https://"))
    return std::nullopt;
  return "isn't an address that begins with http:// or https://";
}

key text(std::string_view name, std::string* to, rule good = nullptr) {
  return {.name = name, .to = to, .good = good};
}
key word(std::string_view name, std::string* to, std::vector<std::string_view> words) {
  return {.name = name, .to = to, .words = std::move(words)};
}
key secret(std::string_view name, std::string* to) { return {.name = name, .to = to, .secret = true}; }
key list(std::string_view name, std::vector<std::string>* to) { return {.name = name, .to = to}; }
key flag(std::string_view name, bool* to) { return {.name = name, .to = to}; }
key number(std::string_view name, std::int64_t* to, std::int64_t least, std::int64_t most) {
  return {.name = name, .to = to, .least = least, .most = most};
}
key without_effect(key one) {
  one.in_force = false;
  return one;
}

section server_of(server& to) {
  return {"server",
      {text("listen", &to.listen, host_and_port),
          without_effect(text("metrics_listen", &to.metrics_listen, host_and_port)),
          number("drain_seconds", &to.drain_seconds, 0, day_seconds),
          number("body_bytes_max", &to.body_bytes_max, 1'024, gibibyte),
          number("url_bytes_max", &to.url_bytes_max, 256, 1'048'576),
          number("header_bytes_max", &to.header_bytes_max, 1'024, 1'048'576),
          number("json_depth_max", &to.json_depth_max, 4, 64),
          number("metadata_bytes_max", &to.metadata_bytes_max, 0, 1'048'576),
          number("id_characters_max", &to.id_characters_max, 36, 128),
          number("page_limit", &to.page_limit, 1, 10'000),
          number("page_limit_max", &to.page_limit_max, 1, 10'000), number("wait_ms", &to.wait_ms, 0, day_ms),
          number("wait_ms_max", &to.wait_ms_max, 0, day_ms),
          number("heartbeat_seconds", &to.heartbeat_seconds, 1, 15),
          number("reader_bytes_max", &to.reader_bytes_max, 65'536, gibibyte)}};
}

section node_of(configuration& to) {
  return {"node",
      {text("name", &to.node_name), text("listen", &to.node_listen, host_and_port),
          number("lease_seconds", &to.lease_seconds, 1, 3'600)},
      {{"node.tls",
          {text("cert", &to.node_tls.cert), text("key", &to.node_tls.key), text("ca", &to.node_tls.ca)}}}};
}

section sessions_of(sessions& to) {
  return {"sessions",
      {number("queued_messages_max", &to.queued_messages_max, 1, 100'000),
          number("tool_output_bytes_max", &to.tool_output_bytes_max, 1'024, message_bytes),
          number("client_tool_timeout_ms", &to.client_tool_timeout_ms, 1, 7 * day_ms)}};
}

section provider_of(const std::string& name, provider& to) {
  return {"providers." + name,
      {word("type", &to.type, {"", "claude", "codex", "grok", "bedrock", "gemini", "gym"}),
          word("api", &to.api,
              {"anthropic-messages", "openai-responses", "openai-chat", "gemini", "bedrock-converse", "proxy",
                  "gym"}),
          text("base_url", &to.base_url, web_address), secret("api_key", &to.api_key),
          text("api_key_env", &to.api_key_env), text("api_key_file", &to.api_key_file),
          list("api_key_command", &to.api_key_command),
          number("api_key_command_seconds", &to.api_key_command_seconds, 0, day_seconds),
          text("default_model", &to.default_model), list("models", &to.models), list("efforts", &to.efforts),
          word("thinking", &to.thinking, {"budget", "adaptive"}),
          number("max_retries", &to.max_retries, 0, 100),
          number("retry_base_ms", &to.retry_base_ms, 0, day_ms),
          number("retry_after_ms_max", &to.retry_after_ms_max, 0, day_ms),
          number("first_byte_timeout_ms", &to.first_byte_timeout_ms, 1, day_ms),
          number("idle_timeout_ms", &to.idle_timeout_ms, 1, day_ms),
          number("frame_bytes_max", &to.frame_bytes_max, 65'536, gibibyte),
          number("max_concurrent", &to.max_concurrent, 1, 100'000)}};
}

section tools_of(configuration& to) {
  auto& workspace = to.workspace;
  return {"tools", {},
      {{"tools.workspace",
           {text("root", &workspace.root), word("sandbox", &workspace.sandbox, {"auto", "none", "required"}),
               flag("network", &workspace.network), list("readable", &workspace.readable),
               number("shell_timeout_ms", &workspace.shell_timeout_ms, 1, 3'600'000),
               number("shell_grace_ms", &workspace.shell_grace_ms, 0, 60'000)}},
          {"tools.mcp", {}, {}, [&to](const std::string& name) {
             auto& server = to.mcp[name];
             return section{"tools.mcp." + name,
                 {list("command", &server.command), text("url", &server.url, web_address)}};
           }}}};
}

section mode_of(const std::string& name, mode& to) { return {"modes." + name, {list("tools", &to.tools)}}; }

std::vector<key> limit_keys(limits& to) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return {without_effect(number("max_sessions", &to.max_sessions, 0, most)),
      without_effect(number("max_running", &to.max_running, 0, most)),
      without_effect(number("requests_per_minute", &to.requests_per_minute, 0, most)),
      without_effect(number("tokens_per_minute", &to.tokens_per_minute, 0, most)),
      without_effect({.name = "budget_usd_per_day", .to = &to.budget_usd_per_day})};
}

section tenant_of(const std::string& name, limits& to) {
  return {"tenants." + name, {}, {{"tenants." + name + ".limits", limit_keys(to)}}};
}

} // namespace

section sections_of(configuration& to) {
  return {"", {},
      {server_of(to.server),
          {"database",
              {secret("url", &to.database_url), text("data_dir", &to.data_dir),
                  number("writers", &to.writers, 1, 64)}},
          node_of(to), sessions_of(to.sessions),
          {"providers", {}, {},
              [&to](const std::string& name) { return provider_of(name, to.providers[name]); }},
          tools_of(to),
          {"modes", {}, {}, [&to](const std::string& name) { return mode_of(name, to.modes[name]); }},
          {"limits", limit_keys(to.limits)},
          // read behind [limits], whose values a tenant begins with
          {"tenants", {}, {}, [&to](const std::string& name) {
             return tenant_of(name, to.tenant_limits.try_emplace(name, to.limits).first->second);
           }}}};
}

std::string_view last_name(const section& table) {
  return std::string_view(table.name).substr(table.name.rfind('.') + 1);
}

} // namespace troupe::config
