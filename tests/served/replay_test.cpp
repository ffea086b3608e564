// Replay over HTTP: a stream that can't be told from a live one, and the verification of a log.
#include "tests/served/served.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(served_replay)

BOOST_AUTO_TEST_CASE(a_replay_brings_what_the_live_stream_brought_and_ends) {
  served here(R"({"reply":[{"text":"Grüße, 世界 and so on to the end."}]})");
  here.make("s");
  here.say("s", "Hello");
  here.until_idle("s");
  event_reader live(here.port(), "s", "?follow=false");
  event_reader played(here.port(), "s", "?replay=1&speed=0");
  std::string text;
  std::string block;
  for (auto event = played.next(); !event.name.empty(); event = played.next()) {
    if (event.name == "delta") {
      BOOST_TEST(event.id == "");
      BOOST_TEST(std::stoul(event.at("offset")) == text.size());
      text += event.at("text");
      continue;
    }
    const auto was = live.next();
    BOOST_TEST(event.id == was.id);
    BOOST_TEST(event.data == was.data);
    if (event.name == "assistant.block")
      block = event.at("data/block/text");
  }
  BOOST_TEST(live.next().name == "");
  BOOST_TEST(text == block);
  BOOST_TEST(block == "Grüße, 世界 and so on to the end.");
}

BOOST_AUTO_TEST_CASE(a_replay_goes_on_behind_the_last_event_that_was_seen) {
  served here(R"({"reply":[{"text":"Hi."}]})");
  here.make("s");
  here.say("s", "Hello");
  here.until_idle("s");
  event_reader again(here.port(), "s", "?replay=true&speed=0", "6");
  auto event = again.next();
  while (event.name == "delta")
    event = again.next();
  BOOST_TEST(event.id == "7");
}

BOOST_AUTO_TEST_CASE(a_speed_is_a_number_from_0_on) {
  served here(R"({"reply":[{"text":"Hi."}]})");
  here.make("s");
  for (const char* const wrong : {"fast", "-1", "nan", "inf", "1x", "10000000"}) {
    event_reader refused(here.port(), "s", std::string("?replay=1&speed=") + wrong);
    BOOST_TEST(refused.status() == 400, wrong);
  }
}

BOOST_AUTO_TEST_CASE(a_log_is_verified) {
  served here(R"({"reply":[{"text":"Hi."}]})");
  here.make("s");
  here.say("s", "Hello");
  const auto head = here.until_idle("s").at("head_seq");
  const auto good = here.post("/v1/sessions/s/verify");
  BOOST_TEST(good.status == 200);
  BOOST_TEST(good.body == "{\"ok\":true,\"events\":" + head + "}");
  BOOST_TEST(here.post("/v1/sessions/nobody/verify").status == 404);
}

BOOST_AUTO_TEST_SUITE_END()
