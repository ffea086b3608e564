// A reader of a session's live stream that is cut off and comes again: nothing may be missing, nothing twice.
#pragma once

#include "tests/simulation/simulated_node.hpp"

#include <map>

namespace troupe::simulation {

class follower {
 public:
  follower(ground& on, witness& logs, std::string session)
      : on_(on), logs_(logs), session_(std::move(session)) {}

  const std::string& session() const { return session_; }
  bool is_connected() const { return stream_ != nullptr; }
  bool reads_from(const simulated_node& node) const { return stream_ && node_ == &node; }
  /// Goes on after the last event that it has, from this node.
  void connect(simulated_node& node);
  /// Leaves, as when a connection breaks; must be done before its node ends.
  void leave();
  /// Reads what is there.
  void read();
  std::int64_t last() const { return last_; }
  std::size_t deltas() const { return deltas_; }

 private:
  using place = std::pair<std::string, std::int64_t>;
  void take(const recorded_event& event);
  void take(const actors::live_delta& delta);
  void take(const actors::live_partial& partial);
  void take(const actors::live_retry&) {}
  void take(const actors::live_progress&) {}
  void broken(const std::string& what);

  ground& on_;
  witness& logs_;
  std::string session_;
  const simulated_node* node_ = nullptr;
  std::unique_ptr<actors::live_stream> stream_;
  std::int64_t last_ = 0;
  std::map<place, std::string> open_; ///< texts of blocks so far
  std::size_t deltas_ = 0;
};

} // namespace troupe::simulation
