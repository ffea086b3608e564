// What turns are measured on: a node on a private PostgreSQL, and the gym in a process of its own.
#pragma once

#include "actors/node.hpp"
#include "persistence/private_cluster.hpp"

#include <filesystem>

#include <sys/types.h>

namespace troupe::bench {

/// The kinds of turns. Simple: 40 deltas. Tool: two calls at once, then the answer. Paced: a simple
/// one with 2 ms between the deltas.
enum class turn_kind { simple, tool, paced };
const char* name_of(turn_kind kind);
/// The prompt on which the gym's script answers so.
std::string prompt_of(turn_kind kind);

class stage {
 public:
  /// `troupe` is the program that serves the gym.
  explicit stage(const std::filesystem::path& troupe);
  ~stage();
  stage(const stage&) = delete;
  stage& operator=(const stage&) = delete;

  const std::string& database_url() const { return cluster_->url(); }
  pid_t gym_process() const { return gym_; }
  actors::node& node() { return *node_; }
  /// So many new sessions.
  std::vector<actors::session_handle> open_sessions(std::size_t count);
  /// Streams of one kind from the gym itself, through the provider alone, so many at once.
  double gym_streams_per_second(turn_kind kind, std::size_t at_once, std::size_t count);

 private:
  void start_gym(const std::filesystem::path& troupe);
  std::filesystem::path folder_;
  std::optional<persistence::private_cluster> cluster_;
  pid_t gym_ = 0;
  std::string gym_url_;
  std::shared_ptr<providers::provider> provider_;
  std::unique_ptr<actors::node> node_;
  std::size_t opened_ = 0;
};

} // namespace troupe::bench
