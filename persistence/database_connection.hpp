// One connection to PostgreSQL, set up for our roles: the only file besides the migrator that
// speaks to libpqxx. Not for two threads at once.
#pragma once

#include "persistence/database_fault.hpp"
#include "persistence/sql.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::persistence {

class answer_watch;

using database_row = std::vector<std::optional<std::string>>;
using database_rows = std::vector<database_row>;

/// The number in a field; NULL is 0.
inline std::int64_t number_in(const std::optional<std::string>& field) {
  return field ? std::stoll(*field) : 0;
}
using parameters = std::vector<std::optional<std::string>>;
/// Each in the form in which PostgreSQL sends it itself (persistence/binary_array.hpp).
using binary_parameters = std::vector<std::string>;
/// The fields of a row that is looked at where it came in; they go with it.
using seen_row = std::vector<std::optional<std::string_view>>;

/// Every function throws `database_fault`; after one whose `connection_is_gone` the object is
/// thrown away. It never connects anew by itself: that would lose the role.
class database_connection {
 public:
  /// `url` is whatever libpq takes. Keepalives, a connect timeout and a time after which sent data
  /// that nobody acknowledges breaks the connection are added where it doesn't name them.
  /// With a `watch` it doesn't wait for an answer for ever here, either.
  explicit database_connection(const std::string& url, answer_watch* watch = nullptr);
  ~database_connection();
  database_connection(const database_connection&) = delete;
  database_connection& operator=(const database_connection&) = delete;

  /// One prepared statement that commits by itself.
  database_rows run(const sql::statement& statement, const parameters& values);
  database_rows run_binary(const sql::statement& statement, const binary_parameters& values);
  /// One prepared statement as `troupe_reader` that sees one tenant.
  database_rows read(std::int32_t tenant, const sql::statement& statement, const parameters& values);
  /// The same for many rows: each is shown once, in order.
  void read_each(std::int32_t tenant, const sql::statement& statement, const parameters& values,
      const std::function<void(const seen_row&)>& show);
  /// Statements without parameters, in one transaction unless they say otherwise; rows of the last.
  database_rows script(const std::string& text);

  /// Takes the writer's role, if the schema and the roles are there. Errors: a fault that says to
  /// migrate where the schema isn't there.
  void become_writer();
  /// The socket, for whoever watches how long an answer takes.
  int socket() const;
  /// Empty if the roles are in force, else the SQL that makes them.
  const std::string& roles_missing() const { return roles_missing_; }

 private:
  struct state;
  std::unique_ptr<state> state_;
  std::string roles_missing_;
};

} // namespace troupe::persistence
