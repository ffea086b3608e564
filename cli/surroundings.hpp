// What commands work in: the configuration, the database with its schema, the providers, the tools.
#pragma once

#include "actors/node.hpp"
#include "config/config.hpp"
#include "persistence/private_cluster.hpp"
#include "providers/credentials.hpp"
#include "tools/workspace/workspace.hpp"

namespace troupe::cli {

/// The flags that every command has.
struct common_flags {
  std::string config_file;
  std::string database;
  std::string data_dir;
  bool json = false;
};

/// The database of a command; a private cluster runs as long as this lives.
struct database {
  std::string url;
  std::optional<persistence::private_cluster> cluster;
};

result<config::configuration> load_configuration(const common_flags& flags);

/// Finds or starts the database. The schema of a private cluster is brought up to date; that of a
/// server is only checked. Errors: `unavailable`, `conflict`.
result<database> open_database(const config::configuration& configuration);
/// The same without a look at the schema.
result<database> open_database_as_it_is(const config::configuration& configuration);

/// A journal on it.
result<std::shared_ptr<persistence::journal>> open_journal(const database& database);

/// A tenant's sessions, to look at.
struct archive {
  cli::database database;
  std::shared_ptr<persistence::journal> journal;
  std::int32_t tenant = 0;
};
result<archive> open_archive(const common_flags& flags, const std::string& tenant);
/// The session's row. Errors: `not_found`, with a name that is near.
result<persistence::session_row> find_session(const archive& kept, const std::string& id);

/// Adds the providers of the environment's keys, where none is configured.
void add_providers_of_environment(
    config::configuration& configuration, const std::map<std::string, std::string>& environment);

/// The address of a configured provider; where none is given, its vendor's own.
std::string base_url_of(const config::provider& provider);

/// Where a configured provider's key is.
providers::credential_settings credentials_of(const config::provider& provider);

/// Providers by the ids that sessions name. Where none is configured, those of the environment's
/// keys. `gym` is always there: the built-in one, started when it is first asked.
result<std::map<std::string, actors::registered_provider>> make_providers(
    const config::configuration& configuration);

/// The provider that a session gets if it names none, and whether that is for lack of any other.
std::string default_provider(const config::configuration& configuration);

/// The workspace's tools as they are configured; our own files are hidden from them.
tools::workspace_settings workspace_settings_of(const config::configuration& configuration);

/// A command works on the session that it names; a server also takes sessions that were left with work.
enum class node_role : std::uint8_t { command, server };

/// A node on the database, with the workspace tools.
result<std::unique_ptr<actors::node>> start_node(const config::configuration& configuration,
    const database& database, node_role role = node_role::command);

} // namespace troupe::cli
