// A PostgreSQL of our own: made and started on first use, shared by the processes that use it,
// stopped when the last of them has ended, however it ended.
#pragma once

#include "messages/result.hpp"

#include <filesystem>
#include <string>

namespace troupe::persistence {

struct cluster_settings {
  /// Off only in tests: what is committed may be lost with the machine's power.
  bool durable = true;
};

/// A use of the cluster: it runs at least as long as this object.
class private_cluster {
 public:
  /// Makes, starts or joins the cluster of `data_dir`. Errors: `unavailable` with the next step.
  static result<private_cluster> open(const std::filesystem::path& data_dir, cluster_settings settings = {});
  ~private_cluster();
  private_cluster(private_cluster&& other) noexcept;
  private_cluster& operator=(private_cluster&& other) noexcept;

  /// The connection string of the database `troupe`: a unix socket, no password.
  const std::string& url() const { return url_; }
  /// The same for another database of this cluster.
  std::string url_of(const std::string& database) const;
  /// Where the cluster is: `data`, `postgres.log` and the socket.
  const std::filesystem::path& place() const { return place_; }

 private:
  private_cluster() = default;
  int users_lock_ = -1; ///< shared with all who use the cluster; the guard waits to have it alone
  std::string url_;
  std::filesystem::path place_;
};

} // namespace troupe::persistence
