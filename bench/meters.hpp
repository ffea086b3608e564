// What a measurement reads: processor time by process, the database's WAL, other programs' figures.
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

namespace troupe::bench {

/// Seconds of processor time that a process has used, with the children that it has waited for.
double cpu_seconds(pid_t process);
/// The same of a process and all that live below it.
double cpu_seconds_of_tree(pid_t root);
/// The same of this process, to the microsecond.
double own_cpu_seconds();

/// Memory that a process holds.
std::size_t resident_bytes(pid_t process);

/// A database reached through psql.
class database_meter {
 public:
  explicit database_meter(std::string url) : url_(std::move(url)) {}
  /// Bytes of WAL written since the beginning of time.
  std::uint64_t wal_bytes() const;
  /// Where the WAL ends now.
  std::string wal_position() const;
  struct wal_written {
    std::uint64_t bytes = 0;
    std::uint64_t page_bytes = 0; ///< of those: whole pages
  };
  /// What was written since `position`. The login must be a superuser.
  wal_written wal_since(const std::string& position) const;
  pid_t postmaster() const;
  /// Single-row inserts a second over so many connections, by pgbench.
  double pgbench_inserts_per_second(int clients, int seconds) const;
  std::string version() const;
  /// What psql prints of it.
  std::string query(const std::string& sql) const;

 private:
  std::string url_;
};

} // namespace troupe::bench
