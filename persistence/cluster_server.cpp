// initdb into a folder that gets its name when it is whole; the postmaster started by a shell that
// outlives us; a guard that waits on a lock. No process of ours has to end well for any of this.
#include "persistence/cluster_server.hpp"

#include "persistence/child_command.hpp"
#include "persistence/database_connection.hpp"
#include "persistence/server_process.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <libpq-fe.h>
#include <unistd.h>

namespace troupe::persistence {

namespace fs = std::filesystem;

namespace {

using namespace std::chrono_literals;

// One guard a cluster. It holds no pipe of ours, or we would wait for its end. It waits until it has the
// users' lock alone, which is when the last user has ended, also by a SIGKILL; then it stops the server. Who
// comes meanwhile waits for the same lock and starts the server anew. The guard's own lock is let go of
// first: whoever then has the users' lock finds no guard and starts one.
constexpr const char* guard_script = R"sh(
exec >/dev/null 2>&1
exec 8>>"$1/guard.lock" 9>>"$1/users.lock"
flock --nonblock 8 || exit 0
flock --exclusive 9
data=$2; shift 2
is_there() { # and isn't another process that has the number now
  read -r pid <"$data/postmaster.pid" || return
  [ "$(cat "/proc/$pid/comm")" = postgres ] || return
  folder=$(readlink "/proc/$pid/cwd") || return 0
  [ "$folder" = "$(readlink -f "$data")" ]
}
stop() { "$@" 8>&- 9>&-; }
is_there && stop "$@" stop --pgdata="$data" --mode=fast --timeout=60 --silent
is_there && stop "$@" stop --pgdata="$data" --mode=immediate --timeout=20 --silent
exec 8>&-
)sh";

// Holds the users' lock until the postmaster has written its pid: from then on a guard can stop it.
constexpr const char* start_script = R"sh(
exec 9>>"$1/users.lock"
flock --shared 9
pid_file=$2; log=$3; shift 3
"$@" 9>&- >>"$log" 2>&1 </dev/null &
while kill -0 $! 2>/dev/null; do
  first=; { read -r first <"$pid_file"; } 2>/dev/null
  [ "$first" = $! ] && break
  sleep 0.005
done
)sh";

/// Makes what was written to a file or directory last.
void sync_to_disk(const fs::path& path) {
  if (const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC); descriptor >= 0) {
    ::fsync(descriptor);
    ::close(descriptor);
  }
}

std::string in_double_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text)
    out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

} // namespace

problem cluster_server::failed(const std::string& what, const std::string& said) const {
  return {problem_code::unavailable,
      what + " in `" + place_.base.string() + "`: " + (said.empty() ? "no message" : said), {}};
}

std::string cluster_server::end_of_log() const {
  std::ifstream log(place_.base / "postgres.log", std::ios::ate | std::ios::binary);
  if (!log)
    return {};
  const auto size = static_cast<std::streamoff>(log.tellg());
  log.seekg(std::max<std::streamoff>(size - 600, 0));
  return {std::istreambuf_iterator<char>(log), {}};
}

result<void> cluster_server::make_data() {
  std::error_code ignored;
  // A process that ended in the middle may have left an initdb that still writes: each has a place of its
  // own.
  const auto half = place_.base / ("data.new." + std::to_string(::getpid()));
  for (const auto& entry : fs::directory_iterator(place_.base, ignored))
    if (entry.path().filename().string().starts_with("data.new")) {
      std::error_code still_written;
      fs::remove_all(entry.path(), still_written);
    }
  if (fs::exists(place_.data / "PG_VERSION", ignored))
    return {};
  const auto made = run_command(place_.as_server({(programs_ / "initdb").string(),
      "--pgdata=" + half.string(), "--username=troupe", "--auth-local=peer", "--locale=C", "--encoding=UTF8",
      "--no-instructions", "--data-checksums", settings_.durable ? "--auth-host=reject" : "--no-sync"}));
  if (!made)
    return made.error();
  if (made->status != 0)
    return failed("a PostgreSQL cluster can't be made", made->text);
  {
    // Who may come: the user that we are, and the server's own for an administrator.
    std::ofstream(half / "pg_hba.conf") << "local all troupe peer map=troupe\n";
    std::ofstream map(half / "pg_ident.conf");
    map << "troupe " << in_double_quotes(place_.our_name) << " troupe\n";
    if (place_.user.is_another)
      map << "troupe " << in_double_quotes(place_.user.name) << " troupe\n";
    if (!map.flush())
      return failed("a PostgreSQL cluster can't be made", "pg_ident.conf can't be written");
  }
  sync_to_disk(half / "pg_hba.conf");
  sync_to_disk(half / "pg_ident.conf");
  std::error_code error;
  fs::rename(half, place_.data, error);
  if (error)
    return failed("a PostgreSQL cluster can't be made", error.message());
  sync_to_disk(place_.base);
  return {};
}

result<void> cluster_server::start_guard() {
  std::vector<std::string> arguments{"setsid", "--fork", "sh", "-c", guard_script, "troupe-guard",
      place_.base.string(), place_.data.string()};
  for (auto& argument : place_.as_server({(programs_ / "pg_ctl").string()}))
    arguments.push_back(std::move(argument));
  const auto started = run_command(arguments);
  if (!started)
    return started.error();
  if (started->status != 0)
    return failed("the guard of the private PostgreSQL can't be started", started->text);
  return {};
}

std::vector<std::string> cluster_server::server_arguments() const {
  std::vector<std::string> out{(programs_ / "postgres").string(), "-D", place_.data.string()};
  const std::string settings[] = {"listen_addresses=", "port=5432",
      "unix_socket_directories=" + in_double_quotes(place_.socket.string()), "unix_socket_permissions=0700",
      "cluster_name=troupe", "shared_buffers=128MB", "max_connections=300", "jit=off", "huge_pages=off",
      "max_wal_senders=0", "synchronous_commit=on",
      std::string("fsync=") + (settings_.durable ? "on" : "off"),
      // What sessions say stays out of the log.
      "log_error_verbosity=terse", "log_min_error_statement=panic"};
  for (const auto& setting : settings) {
    out.emplace_back("-c");
    out.push_back(setting);
  }
  return place_.as_server(out);
}

bool cluster_server::is_there() const {
  const auto pid = pid_in(place_.data / "postmaster.pid");
  return pid > 0 && works_in(pid, place_.data);
}

// PostgreSQL takes any living process with the number in the file for a postmaster, and after a
// restart of the machine or in a container it may be somebody else's. Where no process at all works
// in the data directory, the files are certainly false.
void cluster_server::remove_false_pid() const {
  std::error_code ignored;
  fs::remove(place_.data / "postmaster.pid", ignored);
  fs::remove(place_.socket / ".s.PGSQL.5432.lock", ignored);
  fs::remove(place_.socket / ".s.PGSQL.5432", ignored);
}

result<void> cluster_server::start() {
  constexpr std::uintmax_t log_max = 8 * 1024 * 1024;
  const auto log = place_.base / "postgres.log";
  std::error_code ignored;
  if (fs::file_size(log, ignored) > log_max && !ignored)
    fs::rename(log, place_.base / "postgres.log.1", ignored);
  std::vector<std::string> arguments{"setsid", "--wait", "sh", "-c", start_script, "troupe-start",
      place_.base.string(), (place_.data / "postmaster.pid").string(), log.string()};
  for (auto& argument : server_arguments())
    arguments.push_back(std::move(argument));
  // Backends of a killed postmaster see that it is gone and end, but not at once.
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  for (;;) {
    const bool others_end = any_process_works_in(place_.data);
    if (!others_end)
      remove_false_pid();
    const auto started = run_command(arguments);
    if (!started)
      return started.error();
    if (is_there())
      return {};
    if (!others_end || std::chrono::steady_clock::now() > deadline)
      return failed("PostgreSQL doesn't start", end_of_log());
    std::this_thread::sleep_for(20ms);
  }
}

result<void> cluster_server::run() {
  // A recovery after a crash may take long; a minute without an answer is too long. One that was
  // seen may have been ending: it is started again.
  constexpr int starts_max = 3;
  int starts = 0;
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  while (std::chrono::steady_clock::now() < deadline) {
    if (!is_there()) {
      if (++starts > starts_max)
        return failed("PostgreSQL ends while it starts", end_of_log());
      if (auto started = start(); !started)
        return started;
    }
    if (PQping(url_of("postgres").c_str()) == PQPING_OK)
      return {};
    std::this_thread::sleep_for(5ms);
  }
  return failed("PostgreSQL doesn't take connections", end_of_log());
}

bool cluster_server::is_usable() {
  try {
    database_connection connection(url_of("troupe"));
    return true;
  } catch (const database_fault&) {
  }
  try {
    database_connection connection(url_of("postgres"));
    connection.script("create database troupe");
    return true;
  } catch (const database_fault&) {
    return false;
  }
}

std::string cluster_server::url_of(const std::string& database) const {
  std::string host;
  for (const char c : place_.socket.string()) {
    if (c == '\'' || c == '\\')
      host += '\\';
    host += c;
  }
  return "host='" + host + "' port=5432 user=troupe dbname=" + database
      + " sslmode=disable gssencmode=disable";
}

} // namespace troupe::persistence
