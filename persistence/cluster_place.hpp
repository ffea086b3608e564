// Where a private cluster lives, as which user its server runs, and with which programs.
#pragma once

#include "messages/result.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace troupe::persistence {

/// The user that the server runs as: ourselves, or an unprivileged one where we are root.
struct server_user {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
  bool is_another = false; ///< not us: programs are started through setpriv
};

/// The directories of a cluster. All of them belong to the server's user and are closed to others.
struct cluster_place {
  std::filesystem::path base;   ///< locks, log, socket
  std::filesystem::path data;   ///< PGDATA, `base/data`
  std::filesystem::path socket; ///< directory of the socket; short enough for one
  server_user user;
  std::string our_name; ///< the login name of the user that we are

  /// `arguments` as the server's user.
  std::vector<std::string> as_server(std::vector<std::string> arguments) const;
};

/// Makes what is missing of the place for `data_dir`. As root, where the server's user can't reach
/// `data_dir` (/root), the cluster is in /var/lib/troupe and a link in `data_dir` leads there.
/// Errors: `unavailable`, naming the directory and what is wrong with it.
result<cluster_place> prepare_place(const std::filesystem::path& data_dir);

/// The folder of the server programs for the data in `place`, or the newest one where there is no
/// data yet. Errors: `unavailable`, naming the package to install.
result<std::filesystem::path> server_programs(
    const cluster_place& place, const std::filesystem::path& root = "/usr/lib/postgresql");

} // namespace troupe::persistence
