// What every actor of a node shares: the clock, the lease, ids, providers, tools, and the actors that
// there is one of.
#pragma once

#include "actors/session_directory.hpp"
#include "actors/shared_look_ups.hpp"
#include "actors/surroundings.hpp"
#include "providers/provider.hpp"
#include "session/inputs.hpp"
#include "tools/tool_box.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace troupe::actors {

/// The node's clock, corrected to the database's at each heartbeat (D-44).
class node_clock {
 public:
  explicit node_clock(const surroundings& on) : on_(on) {}
  timestamp now() const;
  /// `database` is what the database's clock said just now.
  void correct(timestamp database);

 private:
  const surroundings& on_;
  std::atomic<std::int64_t> offset_{0};
};

/// How long the node may act, by the monotonic clock: what holds right before an effect (D-43).
class node_lease {
 public:
  explicit node_lease(const surroundings& on) : on_(on) {}
  bool holds() const;
  /// Waits until it holds (true) or `stopped` says so (false); `wake` makes it look again.
  bool wait(const std::function<bool()>& stopped) const;
  void wake() const;
  void extend(std::chrono::steady_clock::time_point until);
  /// It was found to have lapsed: what is here has to be looked at before it is extended.
  void lapse() { ++lapses_; }
  /// How often that was. Whoever took a session before the last time doesn't know whether it still has it.
  std::uint64_t lapses() const { return lapses_; }

 private:
  const surroundings& on_;
  std::atomic<std::uint64_t> lapses_{0};
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::chrono::steady_clock::time_point until_;
};

/// Random bits for all actors of the node: a counter that begins anywhere, scrambled (SplitMix64), so
/// that no two values of a process are the same. Not for secrets.
class node_entropy {
 public:
  explicit node_entropy(std::uint64_t seed) : counter_(seed) {}
  std::uint64_t next();
  /// In [0, 1).
  double fraction() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::atomic<std::uint64_t> counter_;
};

/// UUIDv7 from the node's clock and its random bits.
class fresh_ids : public id_source {
 public:
  fresh_ids(const node_clock& clock, node_entropy& entropy) : clock_(clock), entropy_(entropy) {}
  std::string next() override { return uuid_v7(clock_.now(), entropy_.next(), entropy_.next()); }

 private:
  const node_clock& clock_;
  node_entropy& entropy_;
};

struct node_parts {
  explicit node_parts(std::shared_ptr<actors::surroundings> where)
      : on(std::move(where)), clock(*on), entropy(on->random_seed()), lease(*on) {}

  std::shared_ptr<actors::surroundings> on;
  node_clock clock;
  mutable node_entropy entropy;
  mutable shared_look_ups look_ups;
  node_lease lease;
  std::atomic<bool> ending = false;
  std::atomic<bool> over = false; ///< and nothing is done to logs any more
  std::map<std::string, registered_provider> providers;
  tools::tool_box tools;
  configured_modes modes;
  std::vector<caf::actor> persistence; ///< one a writer; a session always goes to the same
  caf::actor archive;                  ///< of streams and stored content
  caf::actor records;                  ///< of rows and what is quickly read
  caf::actor history;                  ///< of what is further back: it may take its time
  caf::actor examinations;             ///< of whole logs
  caf::actor hub;
  actors::tool_runner* tool_runner = nullptr; ///< the node's; it ends before the node does
  std::shared_ptr<session_directory> directory = std::make_shared<session_directory>();
  std::size_t reader_bytes_max = std::size_t{4} << 20;
  std::size_t queued_max = session::queued_max;
  /// A session that has rested for this long leaves the memory.
  std::chrono::milliseconds rest_before_leaving{60'000};

  fresh_ids ids() const { return {clock, entropy}; }
  const caf::actor& writer_of(const persistence::session_key& session) const {
    return persistence[static_cast<std::size_t>(session.branch) % persistence.size()];
  }
};

} // namespace troupe::actors
