// From a configuration to things that run: the database with its schema, the providers, the tools, the node.
#pragma once

#include "actors/node.hpp"
#include "config/config.hpp"
#include "persistence/private_cluster.hpp"
#include "providers/credentials.hpp"
#include "tools/workspace/workspace.hpp"

namespace troupe::library {

/// Reads the configuration (`config::load`) and fills in where data lies and the providers of the
/// environment's keys. Errors: those of `config::load`.
result<config::configuration> load_configuration(
    const std::string& file, const std::map<std::string, std::string>& environment);

/// A database to work on; a private cluster runs as long as this lives.
struct database {
  std::string url;
  std::optional<persistence::private_cluster> cluster;
};

/// Finds or starts the database. The schema of a private cluster is brought up to date; that of a
/// server is only checked. Errors: `unavailable`, `conflict`.
result<database> open_database(const config::configuration& configuration);
/// The same without a look at the schema.
result<database> open_database_as_it_is(const config::configuration& configuration);

/// A journal on it.
result<std::shared_ptr<persistence::journal>> open_journal(const database& database);

/// The address of a configured provider; where none is given, its vendor's own.
std::string base_url_of(const config::provider& provider);

/// Where a configured provider's key is.
providers::credential_settings credentials_of(const config::provider& provider);

/// Adds the providers of the environment's keys, where none is configured.
void add_providers_of_environment(
    config::configuration& configuration, const std::map<std::string, std::string>& environment);

/// Providers by the ids that sessions name. `gym` is always there: the built-in one, started when it is
/// first asked.
result<std::map<std::string, actors::registered_provider>> make_providers(
    const config::configuration& configuration);

/// The provider that a session gets if it names none.
std::string default_provider(const config::configuration& configuration);

/// The workspace's tools as they are configured; our own files are hidden from them.
tools::workspace_settings workspace_settings_of(const config::configuration& configuration);

/// A command works on the sessions that it names; a server also takes those that were left with work.
enum class node_role : std::uint8_t { command, server };

/// What a node on the database is started with, the workspace's tools among it. The database outlives it.
result<actors::node_settings> node_settings_of(const config::configuration& configuration,
    const database& database, node_role role = node_role::command);

/// A node as configured.
result<std::unique_ptr<actors::node>> start_node(const config::configuration& configuration,
    const database& database, node_role role = node_role::command);

} // namespace troupe::library
