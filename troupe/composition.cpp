// The pieces that a configuration names, made and put together.
#include "troupe/composition.hpp"

#include "persistence/migrator.hpp"
#include "persistence/postgres_journal.hpp"
#include "persistence/this_process.hpp"
#include "telemetry/log.hpp"

namespace troupe::library {

namespace {

std::string default_data_dir(const std::map<std::string, std::string>& environment) {
  if (const auto xdg = environment.find("XDG_DATA_HOME"); xdg != environment.end() && !xdg->second.empty())
    return xdg->second + "/troupe";
  if (const auto home = environment.find("HOME"); home != environment.end() && !home->second.empty())
    return home->second + "/.local/share/troupe";
  return "/var/lib/troupe";
}

} // namespace

result<config::configuration> load_configuration(
    const std::string& file, const std::map<std::string, std::string>& environment) {
  auto configuration = config::load(file, environment);
  if (!configuration)
    return configuration;
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

result<actors::node_settings> node_settings_of(
    const config::configuration& configuration, const database& database, node_role role) {
  actors::node_settings settings;
  auto providers = make_providers(configuration);
  if (!providers)
    return providers.error();
  settings.providers = std::move(*providers);
  const auto workspace = workspace_settings_of(configuration);
  const auto sandbox = tools::add_workspace(settings.tools, workspace);
  if (!sandbox)
    return sandbox.error();
  if (!sandbox->works && workspace.sandbox.mode != tools::sandbox_mode::none)
    telemetry::log(telemetry::level::warning, "commands run without a sandbox", {{"why", sandbox->words}});
  for (const auto& [name, mode] : configuration.modes)
    settings.modes[name] = mode.tools;
  settings.open_journal = [database = &database] { return open_journal(*database); };
  if (database.cluster) // whoever ends our PostgreSQL under us, we start it again
    settings.on_database_away = [data_dir = configuration.data_dir] {
      if (const auto joined = persistence::private_cluster::open(data_dir); !joined)
        telemetry::log(telemetry::level::error, "the private PostgreSQL can't be started",
            {{"why", joined.error().detail}});
    };
  settings.identity = persistence::this_process(configuration.node_name);
  settings.tools.wait_for_clients(configuration.sessions.client_tool_timeout_ms);
  settings.reader_bytes_max = static_cast<std::size_t>(configuration.server.reader_bytes_max);
  settings.tools.show_at_most(static_cast<std::size_t>(configuration.sessions.tool_output_bytes_max));
  settings.queued_max = static_cast<std::size_t>(configuration.sessions.queued_messages_max);
  settings.takes_over = role == node_role::server;
  if (role == node_role::command) // whoever holds the session keeps it until the command ends
    settings.rest_before_leaving = std::chrono::hours(24 * 365);
  settings.writers = static_cast<std::size_t>(configuration.writers);
  settings.lease = std::chrono::seconds(configuration.lease_seconds);
  return settings;
}

result<std::unique_ptr<actors::node>> start_node(
    const config::configuration& configuration, const database& database, node_role role) {
  auto settings = node_settings_of(configuration, database, role);
  if (!settings)
    return settings.error();
  return actors::node::start(std::move(*settings));
}

} // namespace troupe::library
