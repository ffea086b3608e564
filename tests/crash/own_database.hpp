// A PostgreSQL of the test's own, that it may kill, stop and start again.
#pragma once

#include "tests/persistence/worlds.hpp"

namespace troupe::testing {

class own_database {
 public:
  own_database();
  ~own_database();
  own_database(const own_database&) = delete;
  own_database& operator=(const own_database&) = delete;

  const std::string& url() const { return cluster_->url(); }
  std::unique_ptr<persistence::journal> journal() const;
  /// SIGKILL to its postmaster; returns when that and all its backends have ended.
  void kill();
  void start();
  /// To every process of it.
  void signal(int number) const;

 private:
  result<persistence::private_cluster> open() const;
  std::vector<pid_t> processes() const;
  persistence::temporary_directory directory_;
  std::optional<persistence::private_cluster> cluster_;
};

} // namespace troupe::testing
