// One simulated world, from one seed: nodes over one store, sessions, clients, readers, and all that goes
// wrong. The same seed gives the same run, step by step.
#pragma once

#include "tests/simulation/clients.hpp"
#include "tests/simulation/follower.hpp"

namespace troupe::simulation {

/// What came of a run.
struct outcome {
  std::uint64_t seed = 0;
  std::optional<std::string> breach; ///< the first rule that was broken, and how
  std::int64_t steps = 0;
  std::int64_t virtual_ms = 0;
  std::uint64_t hash = 0; ///< of the whole trace
  std::size_t events = 0;
  std::size_t invocations = 0;
  std::size_t crashes = 0;
  std::size_t asked = 0;
  std::size_t succeeded = 0;
  std::size_t deltas = 0;
  std::vector<std::string> trace; ///< where it was wanted
};

outcome simulate(std::uint64_t seed, bool keep_trace = false);

/// The report of a breach: what, where, how to see it again, and the last lines of its trace.
std::string report(const outcome& failed, std::size_t lines = 40);

class simulation {
 public:
  simulation(std::uint64_t seed, bool keep_trace);
  ~simulation();
  outcome run();

 private:
  struct choice {
    enum class kind { job, model, tool, reader, client, time, trouble } what;
    std::size_t node = 0;
    std::size_t nth = 0;
  };

  // -- what may happen next (simulation.cpp) --
  bool step();
  std::optional<choice> choose();
  std::optional<choice> choose_job();
  bool is_slow(const simulated_node& node, std::size_t nth) const;
  void carry_out(const choice& what);
  void run_job(std::size_t node, std::size_t nth);
  void pass_time();
  void make_trouble();
  void ask_something();
  void read_somewhere();
  bool is_quiet() const;

  // -- nodes (simulation.cpp) --
  bool is_awake(const simulated_node& node) const { return node.paused_until_ms <= on_.now_ms; }
  std::vector<std::size_t> awake() const;
  void start_node(std::size_t place);
  void crash(std::size_t place);
  void end_in_order(std::size_t place);
  void end_readers_of(const simulated_node& node);
  simulated_node* some_node();

  // -- the end (ending.cpp) --
  void come_to_rest();
  bool rests(watched_log& log);
  std::string how_it_stands(const watched_log& log);
  void everybody_reads_on();
  void compare_live_states();
  void end_all();

  ground on_;
  witness logs_;
  ledger book_;
  clients people_;
  std::vector<follower> readers_;
  std::vector<std::string> sessions_;
  std::vector<std::unique_ptr<simulated_node>> nodes_; ///< by place; null while nobody is there
  std::vector<node_plan> plans_;                       ///< by place
  std::int64_t nodes_started_ = 0;
  std::size_t crashes_ = 0;
  std::size_t requests_left_ = 0;
  std::size_t troubles_left_ = 0;
  std::int64_t third_node_from_ = 0; ///< the step from which it may start
  /// An actor that is slow: its turn doesn't come before that step.
  struct slow_actor {
    std::int64_t node = 0;
    std::int64_t actor = 0;
    std::int64_t until_step = 0;
  };
  std::vector<slow_actor> slow_;
};

} // namespace troupe::simulation
