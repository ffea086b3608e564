// Makes one cluster a run, one migrated template in it, and one database a test.
#include "tests/persistence/worlds.hpp"

#include "persistence/database_connection.hpp"
#include "persistence/migrator.hpp"

#include "tests/persistence/processes.hpp"

#include "messages/digest.hpp"
#include "messages/event_codec.hpp"

#include <cstdlib>

#include <unistd.h>

namespace troupe::persistence {

temporary_directory::temporary_directory() {
  char name[] = "/tmp/troupe-test-XXXXXX";
  path = ::mkdtemp(name);
  // The server may be another user's.
  std::filesystem::permissions(path, static_cast<std::filesystem::perms>(0711));
}

temporary_directory::~temporary_directory() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

namespace {

/// The cluster and its directory, which goes when the server has stopped.
struct cluster_of_the_run {
  temporary_directory directory;
  std::optional<private_cluster> cluster = must(private_cluster::open(directory.path, {.durable = false}));
  ~cluster_of_the_run() {
    const auto server = postmaster_of(cluster->place());
    cluster.reset();
    wait_for_end(server);
  }
};

} // namespace

private_cluster& test_cluster() {
  static cluster_of_the_run run;
  return *run.cluster;
}

namespace {

/// The migrated database that every test's is a copy of.
const std::string& template_database() {
  static const std::string name = [] {
    database_connection(test_cluster().url()).script("create database pattern");
    must(migrator(test_cluster().url_of("pattern")).up());
    return std::string("pattern");
  }();
  return name;
}

int databases = 0;

} // namespace

postgres_world::postgres_world() : name("test_" + std::to_string(++databases)) {
  const auto& pattern = template_database();
  database_connection(test_cluster().url()).script("create database " + name + " template " + pattern);
  url = test_cluster().url_of(name);
}

postgres_world::~postgres_world() {
  try {
    database_connection(test_cluster().url()).script("drop database " + name + " with (force)");
  } catch (const database_fault& fault) {
    BOOST_TEST_MESSAGE("database " << name << " stays: " << fault.what());
  }
}

std::unique_ptr<journal> postgres_world::open(patience waiting) {
  return must(open_postgres_journal({url, std::move(waiting)}));
}

std::string postgres_world::sql(const std::string& text) {
  const auto rows = database_connection(url).script(text);
  return rows.empty() || rows.back().empty() ? "" : rows.back().front().value_or("");
}

append append_to(
    const session_row& row, std::optional<std::int64_t> expected, const std::vector<std::string>& payloads) {
  append out;
  out.session = row.key;
  out.epoch = row.epoch;
  out.expected_head = expected;
  out.command = command_kind::write_value;
  for (const auto& payload : payloads)
    out.events.push_back(drafted("value.written", payload));
  out.append_id = new_uuid();
  return out;
}

append_outcome append_one(journal& journal, const append& what) {
  auto outcomes = must(journal.append_all({what}));
  BOOST_REQUIRE_EQUAL(outcomes.size(), 1U);
  return std::move(outcomes.front());
}

std::vector<recorded_event> commit_one(journal& journal, const append& what) {
  auto outcome = append_one(journal, what);
  if (const auto* const no = std::get_if<refused>(&outcome))
    BOOST_FAIL("refused: " + no->why.detail);
  BOOST_REQUIRE(std::holds_alternative<committed>(outcome));
  return std::get<committed>(std::move(outcome)).events;
}

} // namespace troupe::persistence
