// Event streams over HTTP: resumed at every event and in the middle of a block, bounded, ended.
#include "tests/served/served.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(served_streams)

namespace {

/// What a reader puts together, whatever it was cut into.
struct put_together {
  std::vector<std::string> ids;
  std::map<std::string, std::string> live; ///< by inference and block
  std::map<std::string, std::string> blocks;

  /// False at the end of the run.
  bool take(const sent_event& event) {
    if (!event.id.empty())
      ids.push_back(event.id);
    if (event.name == "delta" || event.name == "partial") {
      auto& text = live[event.at("inference_id") + "/" + event.at("block")];
      const auto offset = std::stoul(event.at("offset"));
      if (event.name == "partial")
        text = event.at("text");
      else if (offset <= text.size())
        text = text.substr(0, offset) + event.at("text");
      else
        BOOST_FAIL("a hole before " + event.data);
    }
    if (event.name == "assistant.block")
      blocks[event.at("data/inference_id") + "/" + event.at("data/index")] = event.at("data/block/text");
    return event.name != "run.finished" && !event.name.empty();
  }
  void check() const {
    for (std::size_t i = 0; i < ids.size(); ++i)
      BOOST_TEST(ids[i] == std::to_string(i + 1));
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(a_reader_may_come_again_after_every_event) {
  served here(R"({"reply":[{"chunk_bytes":4},{"text":"Grüße, 世界 and so on to the end."}]})");
  here.make("s");
  here.say("s", "Hello");
  here.until_idle("s");
  put_together all;
  std::string last;
  while (true) {
    event_reader reader(here.port(), "s", "?after=0", last); // the header outranks where it began
    const auto event = reader.next();
    const bool goes_on = all.take(event);
    last = event.id;
    if (!goes_on)
      break;
  }
  all.check();
  BOOST_TEST(all.ids.size() == 10U);
}

BOOST_AUTO_TEST_CASE(a_reader_in_the_middle_of_a_block_gets_it_so_far_and_on) {
  served here(R"({"reply":[{"thinking":"Hm."},{"text":"Grüße, "},{"hold":"gate"},{"text":"世界."}]})");
  here.make("s");
  event_reader early(here.port(), "s");
  put_together first_reader;
  first_reader.take(early.next()); // from here on it is live
  here.say("s", "Hello");
  BOOST_REQUIRE(here.play.gym->wait_until_held("gate", patience));
  while (first_reader.live.size() < 2 || first_reader.blocks.empty())
    first_reader.take(early.next());
  event_reader late(here.port(), "s", "", first_reader.ids.back());
  const auto so_far = late.next();
  BOOST_TEST(so_far.name == "partial");
  BOOST_TEST(so_far.at("text") == "Grüße, ");
  BOOST_TEST(so_far.id == "");
  put_together second_reader = first_reader;
  second_reader.live.clear();
  second_reader.take(so_far);
  here.play.gym->release("gate");
  while (second_reader.take(late.next()))
    ;
  second_reader.check();
  BOOST_TEST(second_reader.blocks.size() == 2U);
  for (const auto& [place, text] : second_reader.live)
    BOOST_TEST(second_reader.blocks[place] == text);
}

BOOST_AUTO_TEST_CASE(without_following_a_stream_ends_at_the_head) {
  served here(R"({"reply":[{"text":"Hi."}]})");
  here.make("s");
  here.say("s", "Hello");
  here.until_idle("s");
  event_reader reader(here.port(), "s", "?follow=false&after=8");
  BOOST_TEST(reader.next().id == "9");
  BOOST_TEST(reader.next().name == "run.finished");
  BOOST_TEST(reader.next().name == "");
}

BOOST_AUTO_TEST_CASE(a_place_beyond_the_head_is_refused) {
  served here(R"({"reply":[{"text":"Hi."}]})");
  here.make("s");
  BOOST_TEST(event_reader(here.port(), "s", "?after=2").status() == 400);
  BOOST_TEST(event_reader(here.port(), "s", "", "7").status() == 400);
  BOOST_TEST(event_reader(here.port(), "s", "", "x").status() == 400);
  BOOST_TEST(event_reader(here.port(), "s", "?after=-1").status() == 400);
  BOOST_TEST(event_reader(here.port(), "nobody").status() == 404);
  BOOST_TEST(here.get("/v1/sessions/s/events?after=2").status == 400);
}

BOOST_AUTO_TEST_CASE(pages_hold_what_streams_bring) {
  served here(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[{"call":{"name":"big","arguments":{"bytes":20000}}}]})");
  here.make("s");
  here.say("s", "Hello");
  here.until_idle("s");
  std::vector<std::string> paged;
  std::string after = "0";
  while (true) {
    const auto page = here.get("/v1/sessions/s/events?limit=3&after=" + after);
    if (page.size("events") == 0)
      break;
    for (std::size_t i = 0; i < page.size("events"); ++i)
      paged.push_back(page.at("events/" + std::to_string(i)));
    after = page.at("next_after");
  }
  event_reader reader(here.port(), "s", "?follow=false");
  for (const auto& event : paged)
    BOOST_TEST(reader.next().data == event);
  BOOST_TEST(reader.next().name == "");
  const auto results = here.get("/v1/sessions/s/events?type=tool.result");
  BOOST_TEST(results.size("events") == 1U);
  BOOST_TEST(results.at("events/0/data/content").size() > 8192U); // stored by content, shown as itself
  BOOST_TEST(here.get("/v1/sessions/s/events?type=tool.resutl").status == 400);
}

BOOST_AUTO_TEST_CASE(stored_content_is_read_through_its_session) {
  served here(R"({"reply":[{"text":"Hi."}]})");
  here.make("s");
  here.say("s", "Hello");
  here.until_idle("s");
  const auto started = here.get("/v1/sessions/s/events?type=inference.started");
  const auto name = started.at("events/0/data/tools/blob");
  BOOST_TEST(here.get("/v1/sessions/s/blobs/" + name).body.find("\"hold\"") != std::string::npos);
  here.make("other");
  BOOST_TEST(here.get("/v1/sessions/other/blobs/" + name).status == 404);
  BOOST_TEST(here.get("/v1/sessions/s/blobs/sha256:12").status == 400);
}

BOOST_AUTO_TEST_CASE(a_long_log_reaches_a_reader_whole) {
  served here(R"({"reply":[{"text":")" + std::string(200'000, 'x') + R"("}]})");
  here.make("s");
  for (int i = 0; i < 40; ++i) { // 8 MB in all, twice what a reader may be behind
    here.say("s", "Hello");
    here.until_idle("s");
  }
  event_reader reader(here.port(), "s", "?follow=false");
  std::size_t bytes = 0;
  std::int64_t expected = 1;
  for (auto event = reader.next(); !event.name.empty(); event = reader.next()) {
    BOOST_REQUIRE_EQUAL(event.id, std::to_string(expected++));
    bytes += event.data.size();
  }
  BOOST_TEST(bytes > 8'000'000U);
  BOOST_TEST(expected > 300);
}

BOOST_AUTO_TEST_SUITE_END()
