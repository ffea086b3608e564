// What is measured on: a private PostgreSQL, the gym in a process of its own, and a node on both.
#pragma once

#include "actors/node.hpp"
#include "bench/child.hpp"
#include "bench/script.hpp"
#include "persistence/private_cluster.hpp"
#include "providers/http_provider.hpp"

#include <filesystem>

namespace troupe::bench {

/// The value, or an exception with the problem's words.
template <class T> T must(result<T> got) {
  if (!got)
    throw std::runtime_error(got.error().detail);
  return std::move(*got);
}
void must(const result<void>& got);

class stage {
 public:
  /// `troupe` is the program.
  explicit stage(std::filesystem::path troupe);
  ~stage();
  stage(const stage&) = delete;
  stage& operator=(const stage&) = delete;

  const std::string& database_url() const { return cluster_->url(); }
  /// Another database of the same cluster, empty but for the schema.
  std::string fresh_database(const std::string& name);
  pid_t gym_process() const { return gym_->process(); }
  actors::node& node() { return *node_; }

  /// What a node of its own is made of: this database, this gym, these tools.
  actors::node_settings node_settings() const;
  /// How the gym is reached.
  providers::http_provider_settings gym_client() const;
  /// Words that start `troupe` with a configuration that knows a gym at this address and nothing else.
  std::vector<std::string> troupe_words(const std::string& gym_url) const;
  const std::string& gym_url() const { return gym_->url(); }
  /// A place for files; gone with the stage. The cluster's own folder is `data` in it.
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path troupe_;
  std::filesystem::path folder_;
  std::optional<persistence::private_cluster> cluster_;
  std::optional<served_program> gym_;
  std::shared_ptr<providers::provider> provider_;
  std::unique_ptr<actors::node> node_;
};

/// So many new sessions with the stage's tools.
std::vector<actors::session_handle> open_sessions(actors::node& node, std::size_t count);

} // namespace troupe::bench
