// Two servers on one database: whoever reads at the one follows what the other does, and goes on when the
// other is dead and the first has taken over.
#include "tests/crash/scene.hpp"
#include "tests/crash/stream_follower.hpp"

#include <csignal>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(two_servers)

namespace {

void check_reader(stream_follower& reader, std::int64_t head) {
  reader.end_at(head);
  reader.join();
  for (const auto& breach : reader.account().breaches())
    BOOST_ERROR(breach);
  BOOST_TEST(reader.account().events().size() == static_cast<std::size_t>(head));
}

} // namespace

BOOST_AUTO_TEST_CASE(a_stream_follows_a_session_of_another_server_and_goes_on_when_that_is_dead) {
  scene place(R"({"times":1,"reply":[{"text":"Fine."}]}
{"times":1,"reply":[{"text":"One "},{"hold":"gate"},{"text":"never."}]}
{"reply":[{"chunk_bytes":3},{"text":"So be it, "},{"hold":"end"},{"text":"then."}]})");
  server_program reader(place.world.url, place.gym->base_url());
  server_program owner(place.world.url, place.gym->base_url());
  reader.start();
  owner.start();
  owner.make("s");
  stream_follower steady(reader, "s", habit::steady, 1);
  stream_follower restless(reader, "s", habit::after_every_event, 2);
  std::vector<std::string> all{"accepted m1 " + owner.say("s", "Hello", "m1").at("seq")};
  const auto first_head = std::stoll(owner.until_idle("s").at("head_seq"));
  // told by nothing but the heads
  BOOST_TEST(comes_true([&] { return steady.account().last() >= first_head; }));
  BOOST_TEST(steady.account().last() == first_head);
  all.push_back("accepted m2 " + owner.say("s", "And?", "m2").at("seq"));
  BOOST_REQUIRE(place.gym->wait_until_held("gate", patience));
  const auto elsewhere = reader.post("/v1/sessions/s/messages", R"({"delivery":"send","content":"x"})");
  BOOST_TEST(elsewhere.status == 503, elsewhere.body);
  BOOST_TEST(elsewhere.body.find("owned by node") != std::string::npos, elsewhere.body);
  owner.kill();
  BOOST_REQUIRE(place.gym->wait_until_held("end", patience)); // the reader has taken over by itself
  all.push_back("accepted m3 " + reader.say("s", "Well?", "m3").at("seq"));
  place.gym->release("end");
  place.gym->release("end");
  const auto head = std::stoll(reader.until_idle("s").at("head_seq"));
  check_reader(steady, head);
  check_reader(restless, head);
  BOOST_TEST(steady.account().blocks_joined() > 0U); // live from the one that took over
  place.check_whole(all);
  BOOST_TEST(place.count("output.voided") == 1U);
}

BOOST_AUTO_TEST_CASE(readers_at_a_server_that_stood_still_follow_the_one_that_took_over) {
  scene place(
      R"({"times":1,"reply":[{"chunk_bytes":3},{"text":"Of the past, "},{"hold":"gate"},{"text":"too late."}]}
{"reply":[{"chunk_bytes":3},{"text":"So be it, "},{"hold":"end"},{"text":"then."}]})");
  server_program sleeper(place.world.url, place.gym->base_url(), "[node]\nlease_seconds = 1\n");
  server_program heir(place.world.url, place.gym->base_url());
  sleeper.start();
  sleeper.make("s");
  heir.start();
  stream_follower there(sleeper, "s", habit::steady, 1);
  stream_follower here(heir, "s", habit::steady, 2);
  std::vector<std::string> all{"accepted m1 " + sleeper.say("s", "Hello", "m1").at("seq")};
  BOOST_REQUIRE(place.gym->wait_until_held("gate", patience));
  sleeper.process().signal(SIGSTOP);
  BOOST_REQUIRE(place.gym->wait_until_held("end", patience)); // its lease has run out
  sleeper.process().signal(SIGCONT);
  place.gym->release("gate"); // what it had begun meets the fence
  const auto by_then = static_cast<std::int64_t>(place.log().size());
  BOOST_REQUIRE(
      comes_true([&] { return there.account().last() >= by_then; })); // it reads what it slept through
  all.push_back("accepted m2 " + heir.say("s", "And?", "m2").at("seq"));
  place.gym->release("end");
  place.gym->release("end");
  const auto head = std::stoll(heir.until_idle("s").at("head_seq"));
  check_reader(there, head);
  check_reader(here, head);
  place.check_whole(all);
  BOOST_TEST(place.count("output.voided") == 1U);
  const auto refused = sleeper.post("/v1/sessions/s/messages", R"({"delivery":"send","content":"x"})");
  BOOST_TEST(refused.status == 503, refused.body);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
