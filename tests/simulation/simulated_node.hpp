// A node of production code whose every message, clock and piece of work is in the simulation's hand.
#pragma once

#include "actors/reception.hpp"
#include "actors/surroundings.hpp"
#include "tests/simulation/scripted_provider.hpp"
#include "tests/simulation/troubled_journal.hpp"

#include <caf/scheduler/test_coordinator.hpp>

namespace troupe::simulation {

/// How one node is set up.
struct node_plan {
  std::int64_t number = 0; ///< each start is another one
  std::string name;
  bool takes_over = true;
  int trouble = 0;
  std::int64_t lease_ms = 3000;
  std::int64_t rest_ms = 60'000;
  std::size_t writers = 1;
  std::int64_t skew_ms = 0; ///< of its clock on the wall
};

class simulated_node {
 public:
  /// Null where the store didn't let it start.
  static std::unique_ptr<simulated_node> start(ground& on, witness& logs, ledger& book, node_plan plan);
  /// In order, as long as it didn't crash: lets go of every session, then leaves.
  ~simulated_node();
  /// From here on nothing that it does reaches the store, a client or the world.
  void crash(bool seen_at_once);

  const node_plan& plan() const { return plan_; }
  actors::reception& desk() { return *desk_; }
  actors::node& inside() { return *node_; }
  bool is_dead() const { return tools_.dead; }
  bool dies_now() const { return journals_.dies_now; }
  /// Ends with the node: answers that come later belong to nobody.
  std::weak_ptr<bool> life() const { return alive_; }

  // -- what can happen in it --
  std::size_t jobs() const { return scheduler_->jobs.size(); }
  /// The id of the actor whose turn the n-th job is.
  std::int64_t actor_of(std::size_t n) const;
  std::string message_of(std::size_t n) const;
  /// One message of the actor whose turn the n-th job is.
  void run_job(std::size_t n);
  scripted_provider& models() { return *models_; }
  staged_runner* runner() { return runner_; }

  // -- time --
  std::optional<std::int64_t> next_timeout_ms() const;
  /// Its clocks go up to now, and what is due comes.
  void catch_up();
  std::int64_t paused_until_ms = 0; ///< it stands still until then, as a machine that sleeps

 private:
  class place;
  simulated_node(ground& on, node_plan plan);
  bool run_some();
  std::int64_t tick_ms() const;

  ground& on_;
  node_plan plan_;
  tool_place tools_;
  journal_place journals_;
  persistence::node_identity identity_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::shared_ptr<scripted_provider> models_;
  std::int64_t started_ms_;
  caf::scheduler::test_coordinator* scheduler_ = nullptr;
  staged_runner* runner_ = nullptr;
  std::shared_ptr<place> place_;
  std::unique_ptr<actors::node> node_;
  std::unique_ptr<actors::reception> desk_;
};

} // namespace troupe::simulation
