// The tools of simulated nodes, the list from which their work is picked, and the ledger of what was carried
// out in the world, which no crash touches.
#pragma once

#include "actors/tool_call/tool_runner.hpp"
#include "session/inputs.hpp"
#include "tests/simulation/ground.hpp"
#include "tests/simulation/hand_over.hpp"
#include "tools/tool_box.hpp"

#include <list>
#include <map>
#include <set>

namespace troupe::simulation {

class witness;

/// Tools that the rules let run again without a person's word.
const std::set<std::string>& tools_that_may_run_again();
/// What machines look up, in every simulation.
const session::look_ups& known_in_simulations();
/// What a session of a simulation may call that its client carries out.
std::vector<client_tool> client_tools_in_simulations();

/// The state of a node as far as tools are concerned.
struct tool_place {
  std::int64_t node = 0;
  bool dead = false;               ///< it crashed: what it does now happens nowhere
  std::int64_t lease_until_ms = 0; ///< by the store's word
};

/// Judges each invocation: what was committed before it, and how often (I-5).
class ledger {
 public:
  ledger(ground& on, witness& logs) : on_(on), logs_(logs) {}
  void invoked(const tool_place& where, const std::string& tool, const tools::call& call);
  std::size_t invocations() const { return invocations_; }

 private:
  void judge(const tool_place& where, const std::string& tool, const tools::call& call);
  ground& on_;
  witness& logs_;
  std::map<std::string, std::vector<std::int64_t>> attempts_; ///< by execution
  std::size_t invocations_ = 0;
};

/// Runs work on threads that take turns with the rest of the world.
class staged_runner final : public actors::tool_runner {
 public:
  /// `ended` is called when it is no more.
  staged_runner(ground& on, tool_place& where, std::function<void()> ended)
      : on_(on), where_(where), ended_(std::move(ended)) {}
  ~staged_runner() override;
  bool run(std::function<void()> work, const std::function<bool()>& may_begin) override;

  /// How many pieces of work could begin or go on now.
  std::size_t ready() const;
  /// Lets the n-th of those begin or go on.
  void go_on(std::size_t n);
  /// Those that have been told to stop, and those that needn't wait, to their end.
  bool finish_some();
  /// When the next one is ready by itself.
  std::optional<std::int64_t> next_ms() const;
  std::size_t size() const { return pieces_.size(); }

  /// Within a tool: waits until `until_ms`, or until it is told to stop.
  void wait(const tools::call& call, std::int64_t until_ms, bool obeys);

 private:
  struct piece {
    std::function<void()> work;
    std::function<bool()> may_begin;
    std::unique_ptr<hand_over> thread;
    std::int64_t until_ms = 0;
    std::shared_ptr<tools::stop_source> stop;
    bool obeys = true;
  };
  bool is_ready(const piece& one) const;
  void go_on(std::list<piece>::iterator one);

  ground& on_;
  tool_place& where_;
  std::function<void()> ended_;
  std::list<piece> pieces_;
  piece* running_ = nullptr;
};

/// Adds the tools of simulations. `runner` gives the node's, while a tool runs.
void add_staged_tools(tools::tool_box& box, ground& on, ledger& book, const tool_place& where,
    std::function<staged_runner*()> runner);

} // namespace troupe::simulation
