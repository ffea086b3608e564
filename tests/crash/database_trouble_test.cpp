// A server whose database loses answers, fills up, cuts connections or takes no writes: nothing is lost.
#include "tests/crash/scene.hpp"

#include "messages/digest.hpp"
#include "tests/persistence/cutting_proxy.hpp"

#include <csignal>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::testing {

namespace {
const std::string fine = R"({"reply":[{"text":"Fine."}]})";
}

BOOST_AUTO_TEST_SUITE(database_trouble)

BOOST_AUTO_TEST_CASE(answers_of_the_database_that_are_lost_are_looked_up) {
  scene place(fine);
  persistence::cutting_proxy proxy(place.world.url);
  server_program server(proxy.url(), place.gym->base_url());
  server.start();
  server.make("s");
  std::vector<std::string> all;
  for (int i = 0; i < 12; ++i) {
    proxy.expect(i % 3 == 2 ? persistence::cut::request : persistence::cut::answer);
    const auto got = server.say("s", "Hello", "m" + std::to_string(i));
    BOOST_TEST(got.status == 202, got.body);
    all.push_back("accepted m" + std::to_string(i) + " " + got.at("seq"));
    server.until_idle("s");
    BOOST_TEST(proxy.cuts() == i + 1);
  }
  server.kill();
  place.check_whole(all);
  BOOST_TEST(place.count("message.queued") == 12U);
  BOOST_TEST(place.count("run.finished") == 12U);
}

BOOST_AUTO_TEST_CASE(a_full_database_is_waited_for_and_then_all_goes_on) {
  const persistence::temporary_directory directory;
  if (::geteuid() != 0 || ::mount("tmpfs", directory.path.c_str(), "tmpfs", 0, "size=1m,mode=0777") != 0) {
    BOOST_TEST_MESSAGE("SKIPPED: a small disk can only be mounted by root");
    return;
  }
  struct mounted {
    std::filesystem::path path;
    ~mounted() { ::umount2(path.c_str(), MNT_DETACH); }
  } const disk{directory.path};
  scene place(fine);
  const auto inside = directory.path / "space";
  std::filesystem::create_directory(inside);
  struct stat owner {};
  BOOST_REQUIRE(::stat((persistence::test_cluster().place() / "data").c_str(), &owner) == 0);
  BOOST_REQUIRE(::chown(inside.c_str(), owner.st_uid, owner.st_gid) == 0);
  place.world.sql("create tablespace tiny location '" + inside.string() + "'");
  place.world.sql("alter table troupe.events set tablespace tiny");
  server_program server(place.world.url, place.gym->base_url());
  server.start();
  server.make("s");
  std::string noise; // or it would be compressed
  while (noise.size() < 6'000)
    noise += hex(sha256_of(noise));
  std::vector<std::string> all;
  std::atomic<bool> enough{false};
  std::thread posting([&] {
    for (int i = 0; !enough && i < 2'000; ++i) {
      const std::string id = "m" + std::to_string(i);
      const auto got = server.say("s", noise + id, id);
      all.push_back("accepted " + id + " " + got.at("seq"));
    }
  });
  server.process().expect_with("No space left");
  BOOST_TEST(server.get("/readyz").status == 200);
  BOOST_TEST(server.get("/v1/sessions/s/events?limit=1").status == 200);
  enough = true;
  BOOST_TEST(::mount("tmpfs", directory.path.c_str(), "tmpfs", MS_REMOUNT, "size=256m") == 0);
  posting.join();
  server.until_idle("s");
  place.check_whole(all);
  BOOST_TEST(place.count("message.queued") == all.size());
  server.kill();
  place.world.sql("alter table troupe.events set tablespace pg_default");
  place.world.sql("drop tablespace tiny");
}

// B-111: connections that were cut while nobody used them.
BOOST_AUTO_TEST_CASE(the_first_request_after_the_connections_were_cut_succeeds) {
  scene place(fine);
  server_program server(place.world.url, place.gym->base_url());
  server.start();
  server.make("s");
  std::vector<std::string> all;
  for (int i = 0; i < 5; ++i) {
    place.world.sql("select count(pg_terminate_backend(pid)) from pg_stat_activity "
                    "where datname = current_database() and pid <> pg_backend_pid()");
    const std::string id = "m" + std::to_string(i);
    const auto got =
        server.post("/v1/sessions/s/messages", R"({"delivery":"send","content":"Hello","id":")" + id + "\"}");
    BOOST_TEST(got.status == 202, got.body);
    all.push_back("accepted " + id + " " + got.at("seq"));
    BOOST_TEST(server.get("/v1/sessions/s/events").status == 200);
    BOOST_TEST(server.get("/readyz").status == 200);
    server.until_idle("s");
  }
  server.kill();
  place.check_whole(all);
  BOOST_TEST(place.count("message.queued") == 5U);
}

// B-112: a server of the database that takes no writes for a while, as after a failover.
BOOST_AUTO_TEST_CASE(a_database_that_is_read_only_for_a_while_is_read_and_then_written) {
  scene place(fine);
  server_program server(place.world.url, place.gym->base_url());
  server.start();
  server.make("s");
  place.world.sql("alter database " + place.world.name + " set default_transaction_read_only = on");
  place.world.sql("select count(pg_terminate_backend(pid)) from pg_stat_activity "
                  "where datname = current_database() and pid <> pg_backend_pid()");
  answered got;
  std::thread posting([&] { got = server.say("s", "Hello", "m1"); });
  server.process().expect_with("read-only");
  BOOST_TEST(server.get("/v1/sessions/s/events").status == 200);
  place.world.sql("set transaction read write; alter database " + place.world.name
      + " reset default_transaction_read_only");
  posting.join();
  BOOST_TEST(got.status == 202, got.body);
  server.until_idle("s");
  server.kill();
  place.check_whole({"accepted m1 " + got.at("seq")});
}

// B-121: a connection that is held for as long as a model thinks.
BOOST_AUTO_TEST_CASE(sessions_in_model_calls_hold_no_connection_and_no_transaction) {
  scene place(R"({"when":{"last_user_contains":"wait"},"reply":[{"hold":"gate"},{"text":"Done."}]}
)" + fine);
  server_program server(place.world.url, place.gym->base_url(), "max_concurrent = 300\n");
  server.start();
  constexpr int many = 100;
  for (int i = 0; i < many; ++i) {
    server.make("w" + std::to_string(i));
    BOOST_TEST(server.say("w" + std::to_string(i), "wait").status == 202);
  }
  BOOST_REQUIRE(place.gym->wait_for_requests(many, patience));
  server.make("s");
  BOOST_TEST(server.say("s", "Hello").status == 202);
  server.until_idle("s"); // all the way through while a hundred others are thought about
  BOOST_TEST(server.get("/readyz").status == 200);
  BOOST_TEST(place.world.sql("select count(*) from pg_stat_activity where datname = current_database() "
                             "and state like 'idle in transaction%'")
      == "0");
  server.process().signal(SIGTERM);
  for (int i = 0; i < many; ++i)
    place.gym->release("gate");
  BOOST_TEST(server.process().end() == 0);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
