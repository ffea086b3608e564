// What a node takes from the machine that it runs on: clocks, chance, threads. A simulation gives its own,
// and then nothing in here happens but what it lets happen.
#pragma once

#include "actors/tool_call/tool_runner.hpp"
#include "messages/time.hpp"

#include <chrono>
#include <memory>

namespace caf {
class actor_system;
} // namespace caf

namespace troupe::actors {

class surroundings {
 public:
  virtual ~surroundings() = default;

  /// By the machine's clock on the wall, which may be wrong.
  virtual timestamp wall_time() const = 0;
  /// By the clock that never goes back.
  virtual std::chrono::steady_clock::time_point steady_time() const = 0;
  /// Where the node's random bits begin.
  virtual std::uint64_t random_seed() = 0;

  /// False: there are no threads; actors run one message at a time when `run` or somebody else says so
  /// (CAF's testing scheduler), those that block among them.
  virtual bool has_threads() const = 0;
  /// The node's actors will run in this system. Called once, before there are any.
  virtual void take(caf::actor_system& system) = 0;
  /// Somebody is about to wait for actors: without threads, they run until nothing is left to do.
  virtual void run() = 0;
  virtual std::unique_ptr<tool_runner> make_tool_runner() = 0;
};

/// The real one.
std::shared_ptr<surroundings> this_machine();

} // namespace troupe::actors
