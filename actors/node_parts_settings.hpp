// What a node is made of: journals, providers, tools, and its bounds.
#pragma once

#include "persistence/journal.hpp"
#include "providers/provider.hpp"
#include "session/inputs.hpp"
#include "tools/tool_box.hpp"

#include <chrono>
#include <functional>

namespace troupe::actors {

class surroundings;

/// A configured provider, by the id that sessions name.
struct registered_provider {
  std::shared_ptr<providers::provider> provider;
  session::provider_fact fact;
  std::int64_t retry_base_ms = 250;
  std::int64_t retry_after_ms_max = 60'000; ///< a longer `Retry-After` is not waited for
  bool thinks_by_budget = false;            ///< it wants an effort as a number of tokens
};

/// Tools that a model sees, by the name of the mode.
using configured_modes = std::map<std::string, std::vector<std::string>>;

struct node_settings {
  /// Opens one more connection to the database; called once for each writer and five times
  /// more: for the lease, the fleet, and those that read.
  std::function<result<std::shared_ptr<persistence::journal>>()> open_journal;
  std::map<std::string, registered_provider> providers;
  tools::tool_box tools;
  configured_modes modes; ///< that sessions may name
  persistence::node_identity identity;
  std::string tenant = "default";
  std::size_t writers = 1;
  std::size_t worker_threads = 2; ///< of the scheduler
  std::chrono::milliseconds lease{15'000};
  /// A session that has rested for this long leaves the memory; what wants it takes it again.
  std::chrono::milliseconds rest_before_leaving{60'000};
  /// A reader of a stream that is further behind is cut off.
  std::size_t reader_bytes_max = std::size_t{4} << 20;
  /// Messages that may wait in one queue.
  std::size_t queued_max = session::queued_max;
  /// Takes sessions by itself: those that were left with work, and those whose time has come.
  bool takes_over = false;
  /// The machine that it runs on; null: the real one.
  std::shared_ptr<surroundings> on;
  /// Called again and again while the database doesn't answer, on a thread of its own: may start it.
  std::function<void()> on_database_away;
};

enum class opening : std::uint8_t { create, find, either };

} // namespace troupe::actors
