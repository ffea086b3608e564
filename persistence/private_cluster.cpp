// Opening a cluster: the users' lock is held from the first moment to the last, the start lock while
// one process sees to it that the server runs.
#include "persistence/private_cluster.hpp"

#include "persistence/cluster_server.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace troupe::persistence {

namespace {

/// A lock on a file of the cluster; -1 and `errno` where it can't be had.
int locked(const std::filesystem::path& file, int kind) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0)
    return -1;
  while (::flock(descriptor, kind) != 0)
    if (errno != EINTR) {
      ::close(descriptor);
      return -1;
    }
  return descriptor;
}

/// Closes the descriptor, which lets go of its lock.
struct held {
  int descriptor = -1;
  ~held() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
};

result<void> see_to_it_that_it_runs(cluster_server& server, bool is_running) {
  // The guard first: whatever happens to us from here on, somebody stops the server.
  if (auto guarded = server.start_guard(); !guarded)
    return guarded;
  if (is_running)
    return {};
  if (auto runs = server.run(); !runs)
    return runs;
  if (!server.is_usable())
    return problem{problem_code::unavailable,
        "the private PostgreSQL runs, but its database `troupe` can't be made", {}};
  return {};
}

} // namespace

result<private_cluster> private_cluster::open(
    const std::filesystem::path& data_dir, cluster_settings settings) {
  const auto place = prepare_place(data_dir);
  if (!place)
    return place.error();
  const auto programs = server_programs(*place);
  if (!programs)
    return programs.error();
  private_cluster out;
  out.place_ = place->base;
  // Waits while a guard stops the server.
  out.users_lock_ = locked(place->base / "users.lock", LOCK_SH);
  const held starting{out.users_lock_ < 0 ? -1 : locked(place->base / "start.lock", LOCK_EX)};
  if (starting.descriptor < 0)
    return problem{problem_code::unavailable,
        "`" + place->base.string() + "` can't be locked: " + std::strerror(errno), {}};
  cluster_server server(*place, *programs, settings);
  if (auto made = server.make_data(); !made)
    return made.error();
  if (auto runs = see_to_it_that_it_runs(server, server.is_there() && server.is_usable()); !runs)
    return runs.error();
  out.url_ = server.url_of("troupe");
  return out;
}

std::string private_cluster::url_of(const std::string& database) const {
  const std::string ours = "dbname=troupe";
  auto url = url_;
  return url.replace(url.find(ours), ours.size(), "dbname=" + database);
}

private_cluster::private_cluster(private_cluster&& other) noexcept
    : users_lock_(std::exchange(other.users_lock_, -1)), url_(std::move(other.url_)),
      place_(std::move(other.place_)) {}

private_cluster& private_cluster::operator=(private_cluster&& other) noexcept {
  std::swap(users_lock_, other.users_lock_);
  std::swap(url_, other.url_);
  std::swap(place_, other.place_);
  return *this;
}

private_cluster::~private_cluster() {
  if (users_lock_ >= 0)
    ::close(users_lock_);
}

} // namespace troupe::persistence
