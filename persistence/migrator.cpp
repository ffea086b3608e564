// One advisory lock around finding out and applying; a transaction a step, recorded with its checksum.
#include "persistence/migrator.hpp"

#include "persistence/array_literal.hpp"
#include "persistence/database_connection.hpp"

#include "messages/digest.hpp"

#include <algorithm>
#include <map>

namespace troupe::persistence {

namespace {

// "troupe" in ASCII. The lock belongs to the connection: one that is killed lets go of it.
constexpr const char* lock = "set lock_timeout = '60s'; select pg_advisory_lock(127978103734373)";

// `create … if not exists` of two at once can collide, so this stands under the lock too.
constexpr const char* prepare = R"(
create schema if not exists troupe;
create table if not exists troupe.migrations (
  version    integer not null,
  name       text not null,
  checksum   bytea not null,
  applied_at timestamptz not null default now(),
  constraint migrations_pkey primary key (version)
))";

struct applied_step {
  std::string name;
  std::string checksum; ///< 64 digits
};

std::map<int, applied_step> applied_steps(database_connection& connection) {
  std::map<int, applied_step> out;
  if (connection.script("select to_regclass('troupe.migrations') is not null").at(0).at(0) != "t")
    return out;
  for (const auto& row :
      connection.script("select version, name, encode(checksum, 'hex') from troupe.migrations"))
    out[std::stoi(row.at(0).value_or("0"))] = {row.at(1).value_or(""), row.at(2).value_or("")};
  return out;
}

/// Refuses a schema that this program doesn't know.
std::optional<problem> stranger(
    const std::map<int, applied_step>& applied, const std::vector<migration>& steps) {
  for (const auto& [version, step] : applied) {
    const auto known =
        std::find_if(steps.begin(), steps.end(), [&, v = version](const auto& s) { return s.version == v; });
    if (known == steps.end())
      return problem{problem_code::conflict,
          "the database has migration `" + step.name
              + "`, which this program doesn't know; use a newer troupe with it",
          {}};
    if (hex(sha256_of(known->up)) != step.checksum)
      return problem{problem_code::conflict,
          "migration `" + step.name
              + "` was applied in another form than this program has; a migration never "
                "changes after it was applied, so one of the two programs isn't a release",
          {}};
  }
  return std::nullopt;
}

template <class Function>
auto connected(const std::string& url, std::string_view doing, Function function)
    -> decltype(function(std::declval<database_connection&>())) {
  constexpr int tries = 3;
  for (int i = 1;; ++i) {
    try {
      database_connection connection(url);
      return function(connection);
    } catch (const database_fault& fault) {
      // Also where the server stopped under a migrator: each step is whole or not there.
      if (i == tries || (fault.helps() != remedy::retry && fault.helps() != remedy::reconnect))
        return to_problem(fault, doing);
    }
  }
}

std::string quoted(const std::string& name) { return "'" + name + "'"; } // names of files: no quotes in them

} // namespace

result<std::vector<std::string>> migrator::check() {
  return connected(
      url_, "reading the schema's version", [&](database_connection& c) -> result<std::vector<std::string>> {
        const auto applied = applied_steps(c);
        if (auto fault = stranger(applied, steps_))
          return *fault;
        std::vector<std::string> missing;
        for (const auto& step : steps_)
          if (!applied.count(step.version))
            missing.push_back(step.name);
        return missing;
      });
}

result<std::vector<std::string>> migrator::up() {
  return connected(
      url_, "migrating the database", [&](database_connection& c) -> result<std::vector<std::string>> {
        c.script("set statement_timeout = 0");
        c.script(lock);
        c.script(prepare);
        const auto applied = applied_steps(c);
        if (auto fault = stranger(applied, steps_))
          return *fault;
        std::vector<std::string> done;
        for (const auto& step : steps_) {
          if (applied.count(step.version))
            continue;
          // Several statements in one query are one transaction.
          c.script(step.up + ";\ninsert into troupe.migrations (version, name, checksum) values ("
              + std::to_string(step.version) + ", " + quoted(step.name) + ", '\\x" + hex(sha256_of(step.up))
              + "')");
          done.push_back(step.name);
        }
        return done;
      });
}

result<std::vector<std::string>> migrator::down(int version) {
  return connected(
      url_, "taking back migrations", [&](database_connection& c) -> result<std::vector<std::string>> {
        c.script("set statement_timeout = 0");
        c.script(lock);
        const auto applied = applied_steps(c);
        if (auto fault = stranger(applied, steps_))
          return *fault;
        std::vector<std::string> done;
        for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
          if (step->version <= version || !applied.count(step->version))
            continue;
          c.script(step->down
              + ";\ndelete from troupe.migrations where version = " + std::to_string(step->version));
          done.push_back(step->name);
        }
        if (version == 0)
          c.script("drop schema if exists troupe cascade");
        return done;
      });
}

result<std::string> missing_roles(const std::string& url) {
  return connected(url, "looking for the roles", [](database_connection& c) -> result<std::string> {
    c.become_writer();
    return c.roles_missing();
  });
}

} // namespace troupe::persistence
