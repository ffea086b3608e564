// From /proc, psql and pgbench.
#include "bench/meters.hpp"

#include "bench/child.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

namespace troupe::bench {

namespace {

// The fields of /proc/PID/stat behind the name, from the state on; empty if the process is gone.
std::vector<std::string> stat_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  const auto end = line.rfind(')');
  std::vector<std::string> fields;
  if (end == std::string::npos)
    return fields;
  std::istringstream rest(line.substr(end + 1));
  for (std::string field; rest >> field;)
    fields.push_back(field);
  return fields;
}

constexpr std::size_t parent_field = 1;
constexpr std::size_t first_time_field = 11; // utime, stime, cutime, cstime

std::string pgbench_path() {
  for (const auto& folder : std::filesystem::directory_iterator("/usr/lib/postgresql"))
    if (std::filesystem::exists(folder.path() / "bin/pgbench"))
      return (folder.path() / "bin/pgbench").string();
  throw std::runtime_error("pgbench is missing; install postgresql-15");
}

} // namespace

double cpu_seconds(pid_t process) {
  const auto fields = stat_of(process);
  if (fields.size() <= first_time_field + 3)
    return 0;
  double ticks = 0;
  for (std::size_t i = first_time_field; i < first_time_field + 4; ++i)
    ticks += std::stod(fields[i]);
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double cpu_seconds_of_tree(pid_t root) {
  std::map<pid_t, pid_t> parents;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos)
      continue;
    const auto fields = stat_of(std::stoi(name));
    if (fields.size() > parent_field)
      parents[std::stoi(name)] = std::stoi(fields[parent_field]);
  }
  double total = cpu_seconds(root);
  for (const auto& [process, parent] : parents)
    for (pid_t above = parent; above > 1; above = parents.contains(above) ? parents[above] : 0)
      if (above == root) {
        total += cpu_seconds(process);
        break;
      }
  return total;
}

double own_cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

std::size_t resident_bytes(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/statm");
  std::size_t whole = 0;
  std::size_t resident = 0;
  file >> whole >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::string database_meter::query(const std::string& sql) const {
  std::string out = output_of({"psql", "-XAtq", "-d", url_, "-c", sql});
  while (!out.empty() && out.back() == '\n')
    out.pop_back();
  return out;
}

std::uint64_t database_meter::wal_bytes() const {
  return std::stoull(query("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"));
}

std::string database_meter::wal_position() const { return query("select pg_current_wal_insert_lsn()"); }

database_meter::wal_written database_meter::wal_since(const std::string& position) const {
  wal_written out;
  out.bytes = std::stoull(query("select pg_current_wal_insert_lsn() - '" + position + "'::pg_lsn"));
  query("set client_min_messages = warning; create extension if not exists pg_walinspect");
  out.page_bytes = std::stoull(query("select coalesce(sum(fpi_size), 0)::bigint from pg_get_wal_stats('"
      + position + "', pg_current_wal_flush_lsn())"));
  return out;
}

pid_t database_meter::postmaster() const {
  const pid_t backend = std::stoi(query("select pg_backend_pid()"));
  // the backend of that query is gone; the checkpointer is a child of the postmaster too
  const pid_t checkpointer =
      std::stoi(query("select pid from pg_stat_activity where backend_type = 'checkpointer'"));
  const auto fields = stat_of(checkpointer);
  return fields.size() > parent_field ? std::stoi(fields[parent_field]) : backend;
}

std::string database_meter::version() const { return query("show server_version"); }

double database_meter::pgbench_inserts_per_second(int clients, int seconds) const {
  query("create table if not exists bench_rows (id bigint, note text)");
  const auto script =
      std::filesystem::temp_directory_path() / ("troupe-bench-" + std::to_string(getpid()) + ".sql");
  std::ofstream(script) << "insert into bench_rows values (1, 'a row of the yardstick');\n";
  const std::string report = output_of({pgbench_path(), "-n", "-M", "prepared", "-c", std::to_string(clients),
      "-j", "2", "-T", std::to_string(seconds), "-f", script.string(), url_});
  std::filesystem::remove(script);
  query("drop table bench_rows");
  std::smatch found;
  if (!std::regex_search(report, found, std::regex("tps = ([0-9.]+)")))
    throw std::runtime_error("pgbench said: " + report);
  return std::stod(found[1]);
}

} // namespace troupe::bench
