// One connection to PostgreSQL, set up for our roles: the only file besides the migrator that
// speaks to libpqxx. Not for two threads at once.
#pragma once

#include "persistence/database_fault.hpp"
#include "persistence/sql.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::persistence {

using database_row = std::vector<std::optional<std::string>>;
using database_rows = std::vector<database_row>;
using parameters = std::vector<std::optional<std::string>>;

/// Every function throws `database_fault`; after one whose `connection_is_gone` the object is
/// thrown away. It never connects anew by itself: that would lose the role.
class database_connection {
 public:
  /// `url` is whatever libpq takes. Keepalives, a connect timeout and a time after which sent data
  /// that nobody acknowledges breaks the connection are added where it doesn't name them.
  explicit database_connection(const std::string& url);
  ~database_connection();
  database_connection(const database_connection&) = delete;
  database_connection& operator=(const database_connection&) = delete;

  /// One prepared statement that commits by itself.
  database_rows run(const sql::statement& statement, const parameters& values);
  /// One prepared statement as `troupe_reader` that sees one tenant.
  database_rows read(std::int32_t tenant, const sql::statement& statement, const parameters& values);
  /// Statements without parameters, in one transaction unless they say otherwise; rows of the last.
  database_rows script(const std::string& text);

  /// Takes the writer's role, if the schema and the roles are there. Errors: a fault that says to
  /// migrate where the schema isn't there.
  void become_writer();
  /// Empty if the roles are in force, else the SQL that makes them.
  const std::string& roles_missing() const { return roles_missing_; }

 private:
  struct state;
  std::unique_ptr<state> state_;
  std::string roles_missing_;
};

} // namespace troupe::persistence
