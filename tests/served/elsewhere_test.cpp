// Streams of sessions that another node runs: nothing is published here, the heads are looked at.
#include "tests/served/served.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(served_elsewhere)

// One reader's page must not pass for what another one has had.
BOOST_AUTO_TEST_CASE(each_reader_of_a_session_elsewhere_is_told_however_many_come_and_go) {
  gateway::server_settings settings;
  settings.http.comment_interval = std::chrono::minutes(10); // a reader that hears nothing gives up
  served here(R"({"reply":[{"text":"Fine."}]})", {}, settings);
  const auto other = here.play.start("other");
  auto session = must(other->open(stage::options_of("s"), actors::opening::create));
  event_reader waiting(here.port(), "s");
  BOOST_TEST(waiting.next().id == "1");
  std::string last = "1";
  for (int round = 0; round < 8; ++round) {
    testing::say(session, "Hello");
    testing::until_idle(session);
    event_reader newcomer(here.port(), "s", "", last); // reads on before the heads are looked at
    last = newcomer.until("run.finished").id;
    BOOST_TEST(waiting.until("run.finished").id == last);
  }
}

BOOST_AUTO_TEST_SUITE_END()
