// From the configuration to things that run.
#include "cli/surroundings.hpp"

#include "cli/built_in_gym.hpp"
#include "persistence/migrator.hpp"
#include "persistence/postgres_journal.hpp"
#include "persistence/this_process.hpp"
#include "providers/anthropic/format.hpp"
#include "telemetry/log.hpp"
#include "tools/workspace/workspace.hpp"

#include <filesystem>

extern char** environ;

namespace troupe::cli {

namespace {

constexpr auto anthropic_url = "https://api.anthropic.com";
constexpr auto anthropic_model = "claude-sonnet-4-5";

std::string default_data_dir(const std::map<std::string, std::string>& environment) {
  if (const auto xdg = environment.find("XDG_DATA_HOME"); xdg != environment.end() && !xdg->second.empty())
    return xdg->second + "/troupe";
  if (const auto home = environment.find("HOME"); home != environment.end() && !home->second.empty())
    return home->second + "/.local/share/troupe";
  return "/var/lib/troupe";
}

void add_providers_of_environment(
    config::configuration& c, const std::map<std::string, std::string>& environment) {
  if (!c.providers.empty())
    return;
  if (const auto key = environment.find("ANTHROPIC_API_KEY");
      key != environment.end() && !key->second.empty()) {
    auto& anthropic = c.providers["anthropic"];
    anthropic.type = "claude";
    anthropic.base_url = anthropic_url;
    anthropic.api_key_env = "ANTHROPIC_API_KEY";
    anthropic.default_model = anthropic_model;
  }
}

} // namespace

providers::credential_settings credentials_of(const config::provider& p) {
  return {providers::secret(p.api_key), p.api_key_env, p.api_key_file,
      [](const char* name) -> const char* { return std::getenv(name); }};
}

namespace {

result<actors::registered_provider> make_provider(const std::string& id, const config::provider& p) {
  if (p.api != "anthropic-messages" && p.api != "gym")
    return problem{problem_code::unsupported,
        "[providers." + id + "] api = \"" + p.api + "\": this version speaks `anthropic-messages`", {}};
  if (p.base_url.empty())
    return problem{problem_code::invalid_input, "[providers." + id + "] has no `base_url`", {}};
  if (const auto address = providers::parse_base_url(p.base_url); !address)
    return address.error();
  providers::http_provider_settings settings;
  settings.name = id;
  settings.base_url = p.base_url;
  settings.credentials = credentials_of(p);
  settings.first_byte_timeout = std::chrono::milliseconds(p.first_byte_timeout_ms);
  settings.idle_timeout = std::chrono::milliseconds(p.idle_timeout_ms);
  settings.max_concurrent = static_cast<std::size_t>(p.max_concurrent);
  actors::registered_provider out;
  out.provider = providers::anthropic::make_provider(std::move(settings));
  out.fact = {
      p.type.empty() ? "claude" : p.type, p.default_model.empty() ? anthropic_model : p.default_model};
  out.retry_base_ms = p.retry_base_ms;
  return out;
}

} // namespace

result<config::configuration> load_configuration(const common_flags& flags) {
  const auto environment = config::process_environment();
  auto configuration = config::load(flags.config_file, environment);
  if (!configuration)
    return configuration;
  if (!flags.database.empty())
    configuration->database_url = flags.database;
  if (!flags.data_dir.empty()) {
    configuration->data_dir = flags.data_dir;
    if (flags.database.empty())
      configuration->database_url.clear();
  }
  if (configuration->data_dir.empty())
    configuration->data_dir = default_data_dir(environment);
  add_providers_of_environment(*configuration, environment);
  return configuration;
}

result<database> open_database_as_it_is(const config::configuration& configuration) {
  database out;
  if (!configuration.database_url.empty()) {
    out.url = configuration.database_url;
    return out;
  }
  auto cluster = persistence::private_cluster::open(configuration.data_dir);
  if (!cluster)
    return cluster.error();
  out.cluster = std::move(*cluster);
  out.url = out.cluster->url();
  return out;
}

result<database> open_database(const config::configuration& configuration) {
  auto out = open_database_as_it_is(configuration);
  if (!out)
    return out;
  persistence::migrator migrator(out->url);
  if (out->cluster) {
    if (const auto applied = migrator.up(); !applied)
      return applied.error();
    return out;
  }
  const auto missing = migrator.check();
  if (!missing)
    return missing.error();
  if (!missing->empty())
    return problem{problem_code::invalid_input,
        "the database lacks " + std::to_string(missing->size()) + " migration(s), the first is `"
            + missing->front() + "`; run `troupe migrate` first",
        {}};
  return out;
}

result<std::shared_ptr<persistence::journal>> open_journal(const database& database) {
  persistence::postgres_settings settings;
  settings.url = database.url;
  settings.waiting.on_trouble = [](const std::string& what) {
    telemetry::log(telemetry::level::warning, "database", {{"what", what}});
  };
  auto journal = persistence::open_postgres_journal(std::move(settings));
  if (!journal)
    return journal.error();
  return std::shared_ptr<persistence::journal>(std::move(*journal));
}

result<archive> open_archive(const common_flags& flags, const std::string& tenant) {
  const auto configuration = load_configuration(flags);
  if (!configuration)
    return configuration.error();
  auto opened = open_database(*configuration);
  if (!opened)
    return opened.error();
  auto journal = open_journal(*opened);
  if (!journal)
    return journal.error();
  const auto number = (*journal)->tenant(tenant);
  if (!number)
    return number.error();
  archive out;
  out.database = std::move(*opened);
  out.journal = std::move(*journal);
  out.tenant = *number;
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
    out["gym"] = {std::make_shared<built_in_gym>(), {"gym", "claude-gym"}, 250};
  return out;
}

result<std::unique_ptr<actors::node>> start_node(
    const config::configuration& configuration, const database& database) {
  actors::node_settings settings;
  auto providers = make_providers(configuration);
  if (!providers)
    return providers.error();
  settings.providers = std::move(*providers);
  tools::workspace_settings workspace;
  workspace.root = configuration.workspace_root;
  workspace.environment = tools::clean_environment(environ);
  if (const auto added = tools::add_workspace(settings.tools, workspace); !added)
    return added.error();
  settings.open_journal = [database = &database] { return open_journal(*database); };
  if (database.cluster) // whoever ends our PostgreSQL under us, we start it again
    settings.on_database_away = [data_dir = configuration.data_dir] {
      if (const auto joined = persistence::private_cluster::open(data_dir); !joined)
        telemetry::log(telemetry::level::error, "the private PostgreSQL can't be started",
            {{"why", joined.error().detail}});
    };
  settings.identity = persistence::this_process(configuration.node_name);
  settings.writers = static_cast<std::size_t>(configuration.writers);
  settings.lease = std::chrono::seconds(configuration.lease_seconds);
  return actors::node::start(std::move(settings));
}

} // namespace troupe::cli
