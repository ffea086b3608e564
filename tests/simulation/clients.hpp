// What people and programs outside do to sessions, on whichever node they reach, and what they are told.
#pragma once

#include "tests/simulation/simulated_node.hpp"
#include "tests/simulation/witness.hpp"

namespace troupe::simulation {

class clients {
 public:
  clients(ground& on, witness& logs) : on_(on), logs_(logs) {}

  /// One more thing that somebody asks of the session on this node, drawn by chance.
  void act(simulated_node& node, const std::string& session);
  /// Begins the session, if it isn't there.
  void create(simulated_node& node, const std::string& session);
  /// Answers whatever waits for somebody, so that the session comes to rest; false if nothing does.
  bool answer_what_waits(simulated_node& node, const std::string& session);
  void look(simulated_node& node, const std::string& session);

  std::size_t asked() const { return asked_; }
  std::size_t succeeded() const { return succeeded_; }

 private:
  void post(simulated_node& node, const std::string& session);
  void decide(simulated_node& node, const std::string& session);
  void resolve(simulated_node& node, const std::string& session);
  void bring_result(simulated_node& node, const std::string& session);
  void abort(simulated_node& node, const std::string& session);
  void compact(simulated_node& node, const std::string& session);
  void reset(simulated_node& node, const std::string& session);
  void close(simulated_node& node, const std::string& session);
  void withdraw(simulated_node& node, const std::string& session);
  void order(simulated_node& node, const std::string& session, command what, const char* name);
  void update(simulated_node& node, const std::string& session);
  void wait(simulated_node& node, const std::string& session);

  /// Calls `done` if the answer comes while the node lives and is no refusal.
  template <class T>
  actors::then<T> heard(simulated_node& node, const char* what, std::function<void(const T&)> done);

  ground& on_;
  witness& logs_;
  std::map<std::string, options> wanted_;
  std::map<std::string, std::vector<accept_message>> sent_;
  std::set<std::string> begun_; ///< somebody was told that it is there
  std::set<std::string> made_;  ///< and that it is new
  std::int64_t messages_ = 0;
  std::size_t asked_ = 0;
  std::size_t succeeded_ = 0;
};

} // namespace troupe::simulation
