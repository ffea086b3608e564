// The providers: a row a wire format, and how a configured one becomes one that runs.
#include "providers/anthropic/format.hpp"
#include "providers/openai_chat/format.hpp"
#include "session/effort.hpp"
#include "tools/printing_command.hpp"
#include "troupe/built_in_gym.hpp"
#include "troupe/composition.hpp"

extern char** environ;

namespace troupe::library {

namespace {

struct wire {
  std::string_view api;
  std::unique_ptr<providers::provider> (*make)(providers::http_provider_settings settings);
  const char* family;        ///< where the configuration names none
  const char* base_url;      ///< the vendor's own
  const char* default_model; ///< where neither a session nor the configuration names one
  const char* id;            ///< of the provider that the environment's key makes
  const char* key_variable;
};

constexpr wire wires[] = {
    {"anthropic-messages", providers::anthropic::make_provider, "claude", "https://api.anthropic.com",
        "claude-sonnet-4-5", "anthropic", "ANTHROPIC_API_KEY"},
    {"openai-chat", providers::openai_chat::make_provider, "codex", "https://api.openai.com/v1", "gpt-5",
        "openai", "OPENAI_API_KEY"},
};

const wire* find_wire(std::string_view api) {
  if (api == "gym") // speaks Anthropic's
    api = "anthropic-messages";
  for (const wire& one : wires)
    if (one.api == api)
      return &one;
  return nullptr;
}

problem not_spoken(const std::string& id, const std::string& api) {
  std::string spoken;
  for (const wire& one : wires)
    spoken += (spoken.empty() ? "`" : ", `") + std::string(one.api) + "`";
  return {problem_code::unsupported,
      "[providers." + id + "] api = \"" + api + "\": this version speaks " + spoken, {}};
}

bool speaks_messages(const config::provider& p) { return p.api == "anthropic-messages" || p.api == "gym"; }

std::optional<problem> check_efforts(const std::string& id, const config::provider& p) {
  for (const auto& effort : p.efforts)
    if (!session::is_effort(effort))
      return problem{problem_code::invalid_input,
          "[providers." + id + "] efforts: each " + session::no_effort(effort), {}};
  return std::nullopt;
}

result<actors::registered_provider> make_provider(const std::string& id, const config::provider& p) {
  const wire* const spoken = find_wire(p.api);
  if (!spoken)
    return not_spoken(id, p.api);
  const std::string base_url = base_url_of(p);
  if (base_url.empty())
    return problem{problem_code::invalid_input, "[providers." + id + "] has no `base_url`", {}};
  if (const auto address = providers::parse_base_url(base_url); !address)
    return address.error();
  providers::http_provider_settings settings;
  settings.name = id;
  settings.base_url = base_url;
  settings.credentials = credentials_of(p);
  settings.first_byte_timeout = std::chrono::milliseconds(p.first_byte_timeout_ms);
  settings.idle_timeout = std::chrono::milliseconds(p.idle_timeout_ms);
  settings.frame_bytes_max = static_cast<std::size_t>(p.frame_bytes_max);
  settings.max_concurrent = static_cast<std::size_t>(p.max_concurrent);
  actors::registered_provider out;
  out.provider = spoken->make(std::move(settings));
  out.fact = {p.type.empty() ? spoken->family : p.type,
      p.default_model.empty() ? spoken->default_model : p.default_model, {}};
  out.fact.models = p.models;
  out.fact.compacts = speaks_messages(p);
  if (auto wrong = check_efforts(id, p))
    return *wrong;
  out.thinks_by_budget = speaks_messages(p) && p.thinking == "budget";
  out.fact.efforts = p.efforts;
  if (p.efforts.empty() && speaks_messages(p)
      && p.thinking == "adaptive") // the service has no word for `minimal`
    out.fact.efforts = {"off", "low", "medium", "high", "xhigh", "max"};
  if (auto why = out.fact.refusal(id, out.fact.default_model))
    return problem{problem_code::invalid_input, "[providers." + id + "] default_model: " + why->detail, {}};
  out.retry_base_ms = p.retry_base_ms;
  out.retry_after_ms_max = p.retry_after_ms_max;
  return out;
}

} // namespace

void add_providers_of_environment(
    config::configuration& configuration, const std::map<std::string, std::string>& environment) {
  if (!configuration.providers.empty())
    return;
  for (const wire& one : wires) {
    const auto key = environment.find(one.key_variable);
    if (key == environment.end() || key->second.empty())
      continue;
    auto& made = configuration.providers[one.id];
    made.api = one.api;
    made.type = one.family;
    made.base_url = one.base_url;
    made.api_key_env = one.key_variable;
    made.default_model = one.default_model;
  }
}

std::string base_url_of(const config::provider& provider) {
  const wire* const spoken = provider.api == "gym" ? nullptr : find_wire(provider.api);
  return provider.base_url.empty() && spoken ? spoken->base_url : provider.base_url;
}

providers::credential_settings credentials_of(const config::provider& p) {
  providers::credential_settings out{providers::secret(p.api_key), p.api_key_env, p.api_key_file,
      [](const char* name) -> const char* { return std::getenv(name); }};
  if (p.api_key_command.empty())
    return out;
  tools::printing_settings settings;
  settings.words = p.api_key_command;
  for (char** variable = environ; variable && *variable; ++variable)
    settings.environment.emplace_back(*variable);
  const auto command = std::make_shared<tools::printing_command>(std::move(settings));
  out.command = [command] { return command->text(); };
  out.end_command = [command] { command->stop(); };
  out.command_for = std::chrono::seconds(p.api_key_command_seconds);
  return out;
}

std::string default_provider(const config::configuration& configuration) {
  return configuration.providers.empty() ? "gym" : configuration.providers.begin()->first;
}

result<std::map<std::string, actors::registered_provider>> make_providers(
    const config::configuration& configuration) {
  std::map<std::string, actors::registered_provider> out;
  for (const auto& [id, settings] : configuration.providers) {
    auto made = make_provider(id, settings);
    if (!made)
      return made.error();
    out[id] = std::move(*made);
  }
  if (!out.contains("gym"))
    out["gym"] = {.provider = std::make_shared<built_in_gym>(),
        .fact = {.type = "gym", .default_model = "claude-gym", .compacts = true},
        .thinks_by_budget = true};
  return out;
}

} // namespace troupe::library
