// The two worlds that the journal's contract is tested in: memory, and a PostgreSQL of the test run.
#pragma once

#include "messages/event_codec.hpp"
#include "persistence/journal.hpp"
#include "persistence/memory_journal.hpp"
#include "persistence/postgres_journal.hpp"
#include "persistence/private_cluster.hpp"
#include "persistence/this_process.hpp"
#include "tests/support/must.hpp"

#include <filesystem>

namespace troupe::persistence {

/// Tries again at once, so that no test waits.
inline patience impatient(std::function<void(const std::string&)> on_trouble = {}) {
  return {std::chrono::milliseconds{1}, std::chrono::milliseconds{5}, std::move(on_trouble)};
}

struct memory_world {
  std::shared_ptr<memory_store> store = std::make_shared<memory_store>();
  std::unique_ptr<journal> open() { return make_memory_journal(store, impatient()); }
};

/// A directory that goes with the object.
struct temporary_directory {
  temporary_directory();
  ~temporary_directory();
  std::filesystem::path path;
};

/// The cluster of this test run; its power may fail (no fsync), everything else is as in life.
private_cluster& test_cluster();

/// A migrated database for one test, dropped at its end.
struct postgres_world {
  postgres_world();
  ~postgres_world();
  std::string name;
  std::string url;
  std::unique_ptr<journal> open(patience waiting = impatient());
  /// Runs SQL as the cluster's superuser; the first field of the last row.
  std::string sql(const std::string& text);
};

using testing::must;

inline draft_event drafted(
    std::string type = "value.written", std::string payload = R"({"scope":"session"})") {
  return {std::move(type), 1, {1'700'000'000'123'456}, std::nullopt, std::move(payload)};
}

/// An append of events with these payloads, decided on `expected`.
append append_to(
    const session_row& row, std::optional<std::int64_t> expected, const std::vector<std::string>& payloads);

/// Appends one, and gives its outcome.
append_outcome append_one(journal& journal, const append& what);

/// Appends one that has to be committed.
std::vector<recorded_event> commit_one(journal& journal, const append& what);

} // namespace troupe::persistence
