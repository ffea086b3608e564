// A server that is told to leave: once, and it lets runs come to their end; twice, and it goes at once.
#include "tests/crash/scene.hpp"

#include <csignal>

namespace troupe::testing {

namespace {
const std::string held = R"({"times":1,"reply":[{"text":"One "},{"hold":"gate"},{"text":"two."}]}
{"reply":[{"text":"Fine."}]})";
}

BOOST_AUTO_TEST_SUITE(drain)

BOOST_AUTO_TEST_CASE(a_server_that_is_told_to_leave_lets_its_run_end_first) {
  scene place(held);
  server_program server(place.world.url, place.gym->base_url());
  server.start();
  server.make("s");
  const auto got = server.say("s", "Hello", "m1");
  BOOST_TEST(got.status == 202);
  BOOST_TEST(place.gym->wait_until_held("gate", patience));
  server.process().signal(SIGTERM);
  server.process().expect("leaving: ");
  BOOST_TEST(comes_true([&] { return server.get("/readyz").status == 503; }));
  BOOST_TEST(server.get("/healthz").status == 200);
  BOOST_TEST(
      server.post("/v1/sessions/s/messages", R"({"delivery":"send","content":"More","id":"m2"})").status
      == 503);
  place.gym->release("gate");
  BOOST_TEST(server.process().end() == 0);
  place.check_whole({"accepted m1 " + got.at("seq")});
  BOOST_TEST(place.count("run.finished") == 1U);
  BOOST_TEST(place.count("output.voided") == 0U);
  BOOST_TEST(place.count("message.queued") == 1U);
}

BOOST_AUTO_TEST_CASE(a_server_that_is_told_twice_leaves_at_once_and_the_next_goes_on) {
  scene place(held);
  server_program server(place.world.url, place.gym->base_url());
  server.start();
  server.make("s");
  const auto got = server.say("s", "Hello", "m1");
  BOOST_TEST(place.gym->wait_until_held("gate", patience));
  server.process().signal(SIGTERM);
  server.process().expect("leaving: ");
  server.process().signal(SIGTERM);
  BOOST_TEST(server.process().end() == 1);
  BOOST_TEST(place.count("run.finished") == 0U);
  server.start();
  server.until_idle("s");
  place.check_whole({"accepted m1 " + got.at("seq")});
  BOOST_TEST(place.count("run.finished") == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
