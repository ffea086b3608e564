// The private cluster: made on first use, shared, stopped with its last user, brought back after
// any crash.
#include "tests/persistence/processes.hpp"
#include "tests/persistence/worlds.hpp"

#include "persistence/cluster_place.hpp"
#include "persistence/database_connection.hpp"

#include <fstream>

#include <csignal>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::persistence {

namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(private_cluster_suite)

namespace {

constexpr cluster_settings quick{.durable = false};

std::string ask(const private_cluster& cluster, const std::string& sql) {
  const auto rows = database_connection(cluster.url()).script(sql);
  return rows.empty() ? "" : rows[0].at(0).value_or("");
}

bool answers(const fs::path& data_dir) {
  auto cluster = private_cluster::open(data_dir, quick);
  if (!cluster)
    return false;
  static std::vector<private_cluster> held; // in a child, until it ends
  held.push_back(*std::move(cluster));
  try {
    return ask(held.back(), "select 1") == "1";
  } catch (const database_fault&) {
    return false;
  }
}

/// Leaves the cluster as its last user, and waits until its guard has done its work.
void leave(private_cluster cluster) {
  const auto lock = cluster.place() / "guard.lock";
  { const auto last = std::move(cluster); }
  const int guard_has_ended = ::open(lock.c_str(), O_RDWR | O_CLOEXEC);
  BOOST_TEST(::flock(guard_has_ended, LOCK_EX) == 0);
  ::close(guard_has_ended);
}

} // namespace

BOOST_AUTO_TEST_CASE(the_last_user_stops_it_even_if_it_is_killed) {
  const temporary_directory directory;
  std::optional<private_cluster> cluster = must(private_cluster::open(directory.path, quick));
  const auto server = postmaster_of(cluster->place());
  ask(*cluster, "create table kept as select 42 as answer");
  child_process other([&] { return answers(directory.path); });
  BOOST_TEST(other.is_in());
  BOOST_TEST(postmaster_of(cluster->place()) == server); // the same one
  const auto place = cluster->place();
  cluster.reset();
  BOOST_TEST(must(private_cluster::open(directory.path, quick)).url().size() > 0U); // came and went
  BOOST_TEST(::kill(server, 0) == 0);
  other.kill();
  BOOST_TEST(wait_for_end(server));
  BOOST_TEST(postmaster_of(place) == 0); // in order, not by a crash
  auto again = must(private_cluster::open(directory.path, quick));
  BOOST_TEST(ask(again, "select answer from kept") == "42");
  leave(std::move(again));
}

BOOST_AUTO_TEST_CASE(it_comes_back_after_the_server_was_killed) {
  const temporary_directory directory;
  auto cluster = must(private_cluster::open(directory.path, quick));
  ask(cluster, "create table kept as select 42 as answer");
  ::kill(postmaster_of(cluster.place()), SIGKILL);
  auto again = must(private_cluster::open(directory.path, quick)); // though the first one still holds it
  BOOST_TEST(ask(again, "select answer from kept") == "42");
  { const auto first = std::move(cluster); }
  leave(std::move(again));
}

BOOST_AUTO_TEST_CASE(what_a_crash_left_behind_is_no_obstacle) {
  const temporary_directory directory;
  const auto base = directory.path / "postgres";
  // a process that died in the middle of making it
  auto first = must(private_cluster::open(directory.path, quick));
  leave(std::move(first));
  fs::create_directory(base / "data.new");
  std::ofstream(base / "data.new" / "PG_VERSION") << "15\n";
  // a pid file and a socket of before, whose number is another process's now
  std::ofstream(base / "data" / "postmaster.pid") << ::getpid() << "\n"
                                                  << (base / "data").string() << "\n1\n5432\n"
                                                  << base.string() << "\n\n";
  std::ofstream(base / ".s.PGSQL.5432.lock") << ::getpid() << "\n";
  std::ofstream(base / ".s.PGSQL.5432") << "";
  auto again = must(private_cluster::open(directory.path, quick));
  BOOST_TEST(ask(again, "select 1") == "1");
  leave(std::move(again));
  // half of an initdb alone
  fs::rename(base / "data", base / "data.new");
  fs::remove_all(base / "data.new" / "base");
  auto anew = must(private_cluster::open(directory.path, quick));
  BOOST_TEST(!fs::exists(base / "data.new"));
  leave(std::move(anew));
}

BOOST_AUTO_TEST_CASE(a_guard_signals_nobody_else) {
  // before there is a cluster, or it would use it too
  child_process innocent([] { return true; });
  BOOST_TEST(innocent.is_in());
  const temporary_directory directory;
  auto cluster = must(private_cluster::open(directory.path, quick));
  const auto data = cluster.place() / "data";
  const auto server = postmaster_of(cluster.place());
  ::kill(server, SIGKILL);
  wait_for_end(server);
  std::ofstream(data / "postmaster.pid") << innocent.pid() << "\n"
                                         << data.string() << "\n"; // has the number now
  leave(std::move(cluster));
  BOOST_TEST(::kill(innocent.pid(), 0) == 0);
  BOOST_TEST(innocent.end());
}

BOOST_AUTO_TEST_CASE(processes_that_come_and_go_at_once_do_not_race) {
  const temporary_directory directory;
  leave(must(private_cluster::open(directory.path, quick)));
  for (int round = 0; round < 5; ++round) {
    // each one may meet the server starting, running, or stopping for the one before
    std::vector<std::unique_ptr<child_process>> children;
    for (int i = 0; i < 4; ++i)
      children.push_back(std::make_unique<child_process>([&] { return answers(directory.path); }));
    for (auto& child : children) {
      BOOST_TEST(child->is_in());
      child->kill();
    }
  }
  auto last = must(private_cluster::open(directory.path, quick));
  leave(std::move(last));
}

BOOST_AUTO_TEST_CASE(it_is_closed_to_others_and_never_root) {
  auto& cluster = test_cluster();
  struct stat info {};
  for (const auto& path : {cluster.place(), cluster.place() / "data"}) {
    BOOST_REQUIRE(::stat(path.c_str(), &info) == 0);
    BOOST_TEST((info.st_mode & 077) == 0U);
    BOOST_TEST(info.st_uid != 0U);
  }
  BOOST_REQUIRE(::stat(("/proc/" + std::to_string(postmaster_of(cluster.place()))).c_str(), &info) == 0);
  BOOST_TEST(info.st_uid != 0U);
  BOOST_TEST(ask(cluster, "show listen_addresses").empty());
  // nothing of our environment is in its, no password is needed, and nobody else may come
  std::ifstream environment("/proc/" + std::to_string(postmaster_of(cluster.place())) + "/environ");
  const std::string variables{std::istreambuf_iterator<char>(environment), {}};
  BOOST_TEST(variables.find("HOME=") == std::string::npos);
  std::ifstream rules(cluster.place() / "data" / "pg_hba.conf");
  const std::string rule{std::istreambuf_iterator<char>(rules), {}};
  BOOST_TEST(rule == "local all troupe peer map=troupe\n");
}

BOOST_AUTO_TEST_CASE(a_long_path_gets_a_short_socket) {
  const temporary_directory directory;
  const auto deep = directory.path / std::string(60, 'd') / "it's, a \"name\"";
  auto cluster = must(private_cluster::open(deep, quick));
  BOOST_TEST(ask(cluster, "select 1") == "1");
  BOOST_TEST(!fs::exists(cluster.place() / ".s.PGSQL.5432"));
  auto place = must(prepare_place(deep));
  BOOST_TEST((place.socket / ".s.PGSQL.5432").string().size() < 100U);
  leave(std::move(cluster));
  // a directory of that name that is somebody else's isn't trusted
  if (::geteuid() == 0) {
    BOOST_TEST(::chown(place.socket.c_str(), 12345, 12345) == 0);
    const auto refused = private_cluster::open(deep, quick);
    BOOST_REQUIRE(!refused);
    BOOST_TEST(refused.error().detail.find(place.socket.string()) != std::string::npos);
  }
  fs::remove_all(place.socket);
}

BOOST_AUTO_TEST_CASE(as_root_a_closed_data_directory_leads_elsewhere) {
  if (::geteuid() != 0) {
    BOOST_TEST_MESSAGE("SKIPPED: only root starts the server as another user");
    return;
  }
  const temporary_directory directory;
  fs::permissions(directory.path, static_cast<fs::perms>(0700)); // as /root is
  auto cluster = must(private_cluster::open(directory.path / "troupe", quick));
  BOOST_TEST(cluster.place().string().rfind("/var/lib/troupe/", 0) == 0U);
  BOOST_TEST(fs::read_symlink(directory.path / "troupe" / "postgres") == cluster.place());
  BOOST_TEST(ask(cluster, "select 1") == "1");
  const auto place = cluster.place();
  leave(std::move(cluster));
  fs::remove_all(place);
}

BOOST_AUTO_TEST_CASE(what_is_missing_is_named) {
  const temporary_directory directory;
  const auto place = must(prepare_place(directory.path));
  const auto none = server_programs(place, "/nonexistent");
  BOOST_REQUIRE(!none);
  BOOST_TEST(none.error().detail.find("apt install postgresql") != std::string::npos);
  fs::create_directory(place.data);
  std::ofstream(place.data / "PG_VERSION") << "99\n";
  const auto newer = private_cluster::open(directory.path, quick);
  BOOST_REQUIRE(!newer);
  BOOST_TEST(newer.error().detail.find("postgresql-99") != std::string::npos);
  std::ofstream(directory.path / "file") << "";
  BOOST_TEST(!private_cluster::open(directory.path / "file", quick));
  BOOST_TEST(!private_cluster::open("", quick));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::persistence
