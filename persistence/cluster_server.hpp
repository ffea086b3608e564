// The server of a private cluster: made, started, found running, and guarded so that it stops with
// its last user.
#pragma once

#include "persistence/cluster_place.hpp"
#include "persistence/private_cluster.hpp"

namespace troupe::persistence {

class cluster_server {
 public:
  cluster_server(const cluster_place& place, std::filesystem::path programs, cluster_settings settings)
      : place_(place), programs_(std::move(programs)), settings_(settings) {}

  /// Everything below is called by one process at a time, under the start lock.
  result<void> make_data();
  /// Starts the process that stops the server once nobody holds the users' lock; harmless when
  /// there is one.
  result<void> start_guard();
  /// Starts the server unless it is there, and waits until it takes connections. Errors: with the
  /// end of its log.
  result<void> run();
  /// True if the postmaster of this data directory is there.
  bool is_there() const;
  /// True if the database `troupe` can be used; made if the server runs without it.
  bool is_usable();

  std::string url_of(const std::string& database) const;

 private:
  result<void> start();
  std::vector<std::string> server_arguments() const;
  void remove_false_pid() const;
  std::string end_of_log() const;
  problem failed(const std::string& what, const std::string& said) const;

  const cluster_place& place_;
  std::filesystem::path programs_;
  cluster_settings settings_;
};

} // namespace troupe::persistence
