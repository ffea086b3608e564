// Reads /proc for the boot, the process and its start time.
//
// The boot id is extended by the PID namespace: two containers on one machine share the boot but
// not the numbers of their processes, and must not take each other for dead.
#include "persistence/this_process.hpp"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <fstream>
#include <random>

#include <unistd.h>

namespace troupe::persistence {

namespace {

std::string this_boot() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  char space[64] = {};
  if (const auto size = ::readlink("/proc/self/ns/pid", space, sizeof space - 1); size > 0)
    boot += "/" + std::string(space, static_cast<std::size_t>(size));
  return boot;
}

struct process_stat {
  char state = 0;
  std::int64_t start_ticks = 0;
};

std::optional<process_stat> stat_of(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(file, line))
    return std::nullopt;
  // The second field is the name in parentheses and may hold anything; state is the third field,
  // the start time the twenty-second (proc(5)).
  const auto name_end = line.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= line.size())
    return std::nullopt;
  process_stat out;
  out.state = line[name_end + 2];
  auto at = name_end + 2;
  for (int field = 3; field < 22 && at != std::string::npos; ++field)
    at = line.find(' ', at + 1);
  if (at == std::string::npos)
    return std::nullopt;
  std::from_chars(line.data() + at + 1, line.data() + line.size(), out.start_ticks);
  return out;
}

} // namespace

std::string new_uuid() {
  thread_local std::random_device random;
  const auto draw = [] { return (std::uint64_t{random()} << 32) | random(); };
  const auto now = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  const auto high = draw();
  return uuid_v7({now.count()}, high, draw());
}

node_identity this_process(std::string name) {
  node_identity out;
  out.id = new_uuid();
  out.boot_id = this_boot();
  out.pid = ::getpid();
  if (const auto stat = stat_of(out.pid))
    out.start_ticks = stat->start_ticks;
  if (name.empty()) {
    char host[256] = {};
    ::gethostname(host, sizeof host - 1);
    name = std::string(host) + ":" + std::to_string(out.pid);
  }
  out.name = std::move(name);
  return out;
}

bool is_gone(const node_identity& node) {
  if (node.boot_id != this_boot() || node.pid <= 0)
    return false;
  if (::kill(static_cast<pid_t>(node.pid), 0) != 0 && errno == ESRCH)
    return true;
  const auto stat = stat_of(node.pid);
  if (!stat)
    return false; // there, but hidden from us
  return stat->state == 'Z' || stat->state == 'X' || stat->start_ticks != node.start_ticks;
}

} // namespace troupe::persistence
