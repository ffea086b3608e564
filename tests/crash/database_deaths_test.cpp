// A server whose database dies, stands still or is away for long: it waits or says so, and nothing is lost.
#include "tests/crash/own_database.hpp"
#include "tests/crash/scene.hpp"
#include "tests/crash/stream_follower.hpp"

#include <csignal>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(database_deaths)

namespace {

const std::string fine = R"({"reply":[{"text":"Fine."}]})";
const std::string held_once = R"({"times":1,"reply":[{"text":"One "},{"hold":"gate"},{"text":"two."}]}
)" + fine;

accepted_message accepted(const answered& got, const std::string& id) {
  BOOST_TEST(got.status == 202, got.status << " " << got.body);
  return {"s", id, std::stoll(got.at("seq"))};
}

} // namespace

BOOST_AUTO_TEST_CASE(a_database_that_dies_under_a_server_costs_nothing_but_time) {
  own_database database;
  const auto gym = start_gym(held_once);
  server_program server(database.url(), gym->base_url());
  server.start();
  server.make("s");
  stream_follower steady(server, "s", habit::steady, 1);
  stream_follower restless(server, "s", habit::after_every_event, 2);
  std::vector<accepted_message> all{accepted(server.say("s", "Hello", "m1"), "m1")};
  BOOST_REQUIRE(gym->wait_until_held("gate", patience));
  BOOST_TEST(server.get("/readyz").status == 200);
  for (int round = 0; round < 3; ++round) {
    BOOST_TEST_CONTEXT("round " << round) {
      database.kill();
      BOOST_TEST(server.get("/readyz").status == 503);
      BOOST_TEST(server.get("/healthz").status == 200);
      const auto read = server.get("/v1/sessions/s/events");
      BOOST_TEST(read.status == 503, read.body);
      BOOST_TEST(read.at("type") == "urn:troupe:error:unavailable");
      const std::string id = "m2-" + std::to_string(round);
      std::thread posting([&] { all.push_back(accepted(server.say("s", "And?", id), id)); });
      gym->release("gate"); // the answer ends while nothing of it can be stored
      database.start();
      posting.join();
      server.until_idle("s");
      BOOST_TEST(server.get("/readyz").status == 200);
    }
  }
  const auto journal = database.journal();
  check_whole(*journal, "s", all);
  BOOST_TEST(all_taken(*journal, "s", 4));
  const auto head = std::stoll(server.get("/v1/sessions/s").at("head_seq"));
  for (auto* const one : {&steady, &restless}) {
    one->end_at(head);
    one->join();
    for (const auto& breach : one->account().breaches())
      BOOST_ERROR(breach);
    BOOST_TEST(one->account().events().size() == static_cast<std::size_t>(head));
  }
}

BOOST_AUTO_TEST_CASE(a_database_that_is_away_for_longer_than_the_lease_leaves_a_lone_server_its_sessions) {
  own_database database;
  const auto gym = start_gym(held_once);
  server_program server(database.url(), gym->base_url(), "[node]\nlease_seconds = 1\n");
  server.start();
  server.make("s");
  std::vector<accepted_message> all{accepted(server.say("s", "Hello", "m1"), "m1")};
  BOOST_REQUIRE(gym->wait_until_held("gate", patience));
  database.kill();
  BOOST_REQUIRE(
      comes_true([&] { return server.get("/readyz").at("detail").find("lease") != std::string::npos; }));
  gym->release("gate");
  database.start();
  all.push_back(accepted(server.say("s", "And?", "m2"), "m2"));
  server.until_idle("s");
  const auto journal = database.journal();
  check_whole(*journal, "s", all);
  BOOST_TEST(all_taken(*journal, "s", 2));
}

BOOST_AUTO_TEST_CASE(a_database_that_stands_still_is_waited_for) {
  own_database database;
  const auto gym = start_gym(held_once);
  server_program server(database.url(), gym->base_url(), "[node]\nlease_seconds = 1\n");
  server.start();
  server.make("s");
  std::vector<accepted_message> all{accepted(server.say("s", "Hello", "m1"), "m1")};
  BOOST_REQUIRE(gym->wait_until_held("gate", patience));
  database.signal(SIGSTOP);
  std::thread posting([&] { all.push_back(accepted(server.say("s", "And?", "m2"), "m2")); });
  gym->release("gate");
  BOOST_TEST(server.get("/readyz").status == 503); // told, though the database says nothing at all
  BOOST_TEST(server.get("/healthz").status == 200);
  database.signal(SIGCONT);
  posting.join();
  server.until_idle("s");
  BOOST_TEST(comes_true([&] { return server.get("/readyz").status == 200; })); // when the lease is renewed
  const auto journal = database.journal();
  check_whole(*journal, "s", all);
  BOOST_TEST(all_taken(*journal, "s", 2));
}

BOOST_AUTO_TEST_CASE(a_server_whose_database_is_away_can_leave) {
  own_database database;
  const auto gym = start_gym(fine);
  server_program server(database.url(), gym->base_url());
  server.start();
  server.make("s");
  const std::vector<accepted_message> all{accepted(server.say("s", "Hello", "m1"), "m1")};
  server.until_idle("s");
  database.kill();
  server.process().signal(SIGTERM);
  BOOST_TEST(server.process().end() == 0);
  database.start();
  server.start();
  BOOST_TEST(server.say("s", "Hello", "m1").at("duplicate") == "true");
  server.until_idle("s");
  const auto journal = database.journal();
  check_whole(*journal, "s", all);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
