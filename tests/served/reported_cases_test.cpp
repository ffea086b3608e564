// Cases from public bug reports, as a client of the API meets them; each test names its case.
#include "tests/served/served.hpp"

#include "messages/text.hpp"

#include <optional>
#include <set>
#include <thread>

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(reported_cases)

namespace {

const std::string fine = R"({"reply":[{"text":"Fine."}]})";

/// The requests that the gym had, as it keeps them.
std::size_t requests(served& here) { return answered{200, here.play.gym->requests()}.size(""); }

/// The text that a block's deltas join to, in the inference whose stream comes next.
std::string joined(event_reader& reader, const std::string& until) {
  std::string text;
  for (auto event = reader.next(); event.name != until; event = reader.next()) {
    if (event.name.empty())
      BOOST_FAIL("no " + until + " came");
    if (event.name != "delta")
      continue;
    BOOST_TEST(event.at("offset") == std::to_string(text.size()));
    BOOST_TEST(is_utf8(event.at("text")));
    text += event.at("text");
  }
  return text;
}

} // namespace

// B-005, B-006: an outward delta is never half a character, and its offset counts bytes.
BOOST_AUTO_TEST_CASE(a_delta_is_whole_characters_however_the_provider_cuts_them) {
  served here(R"({"reply":[{"chunk_bytes":1},{"text":"你好🙂 Grüße"}]})");
  here.make("s");
  event_reader reader(here.port(), "s");
  reader.until_live();
  here.say("s", "Hello");
  BOOST_TEST(joined(reader, "assistant.block") == "你好🙂 Grüße");
}

// B-046: what is aborted is the session's run, whichever request of it is under way.
BOOST_AUTO_TEST_CASE(an_abort_stops_the_follow_up_of_a_tool_call) {
  served here(R"({"when":{"has_tool_result":true},"reply":[{"text":"One "},{"hold":"gate"},{"text":"two."}]}
{"reply":[{"call":{"name":"big","arguments":{}}}]})");
  here.make("s");
  here.say("s", "Hello");
  BOOST_REQUIRE(here.play.gym->wait_until_held("gate", patience));
  BOOST_TEST(here.post("/v1/sessions/s/abort").at("status") == "idle");
  const auto ends = here.get("/v1/sessions/s/events?type=run.finished");
  BOOST_TEST(ends.at("events/0/data/outcome/kind") == "aborted", ends.body);
  const auto until = std::chrono::steady_clock::now() + patience;
  while (here.play.gym->connections() > 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::yield();
  BOOST_TEST(here.play.gym->connections() == 0U);
}

// B-048, B-049: an answer that broke off after it was shown isn't asked for again; what follows begins anew.
BOOST_AUTO_TEST_CASE(a_turn_that_broke_off_after_its_first_words_is_never_joined_with_the_next) {
  served here(
      R"({"times":1,"reply":[{"text":"Here is"},{"stream_error":{"type":"rate_limit_error","message":"slow down"}}]}
{"reply":[{"text":"Here is the plan"}]})");
  here.make("s");
  event_reader reader(here.port(), "s");
  reader.until_live();
  here.say("s", "Hello");
  BOOST_TEST(joined(reader, "inference.finished") == "Here is");
  here.until_idle("s");
  BOOST_TEST(requests(here) == 1U);
  here.say("s", "Again");
  BOOST_TEST(joined(reader, "assistant.block") == "Here is the plan");
  here.until_idle("s");
  const auto context = here.get("/v1/sessions/s/context").body;
  BOOST_TEST(context.find("Here is the plan") != std::string::npos);
  BOOST_TEST(context.find("Here isHere") == std::string::npos);
}

// B-051: attempts that brought nothing are told apart, and there is one beginning.
BOOST_AUTO_TEST_CASE(an_answer_that_was_tried_again_begins_once) {
  served here(R"({"times":1,"reply":[{"http_error":{"status":529,"message":"busy","retry_after":0}}]}
{"reply":[{"text":"Fine."}]})");
  here.make("s");
  event_reader reader(here.port(), "s");
  reader.until_live();
  here.say("s", "Hello");
  std::map<std::string, int> came;
  for (auto event = reader.next(); event.name != "run.finished"; event = reader.next())
    ++came[event.name];
  for (const char* const once :
      {"turn.started", "inference.started", "retrying", "assistant.block", "inference.finished"})
    BOOST_TEST(came[once] == 1, once);
}

// B-071: a NUL is kept from one end to the other.
BOOST_AUTO_TEST_CASE(a_nul_in_a_message_is_stored_and_comes_back) {
  served here(R"({"reply":[{"text":"a\u0000b"}]})");
  here.make("s");
  event_reader reader(here.port(), "s");
  BOOST_TEST(
      here.post("/v1/sessions/s/messages", R"({"delivery":"send","content":"a\u0000b \\u0000"})").status
      == 202);
  const std::string nul("a\0b", 3);
  BOOST_TEST(reader.until("message.queued").at("data/content") == nul + " \\u0000");
  BOOST_TEST(reader.until("assistant.block").at("data/block/text") == nul);
  here.until_idle("s");
  BOOST_TEST(here.play.wrong_with("s") == "");
}

// B-074: half of a surrogate pair is replaced at the door, and a whole pair survives.
BOOST_AUTO_TEST_CASE(half_a_surrogate_pair_poisons_no_session) {
  served here(fine);
  here.make("s");
  event_reader reader(here.port(), "s");
  const auto got =
      here.post("/v1/sessions/s/messages", R"({"delivery":"send","content":"x\ud83d \udc00y \ud83d\ude42"})");
  BOOST_TEST(got.status == 202, got.body);
  BOOST_TEST(reader.until("message.queued").at("data/content") == "x\uFFFD \uFFFDy 🙂");
  BOOST_TEST(here.until_idle("s").at("error") == "");
  here.say("s", "And on");
  BOOST_TEST(here.until_idle("s").at("error") == "");
}

// B-085: an id that exists is not made anew.
BOOST_AUTO_TEST_CASE(a_second_creation_with_other_options_leaves_the_first_as_it_is) {
  served here(fine, [](actors::node_settings& of) { of.rest_before_leaving = std::chrono::milliseconds(1); });
  here.make("s", R"(,"instructions":"Be A.")");
  BOOST_TEST(
      here.post("/v1/sessions", R"({"id":"s","tools":["stage"],"instructions":"Be B."})").status == 409);
  while (here.node->sessions_in_memory() > 0)
    std::this_thread::yield();
  here.say("s", "Hello");
  here.until_idle("s");
  BOOST_TEST(here.get("/v1/sessions/s").at("instructions") == "Be A.");
  BOOST_TEST(here.play.gym->requests().find("Be A.") != std::string::npos);
}

// B-095: two messages at once are two turns of one conversation.
BOOST_AUTO_TEST_CASE(two_messages_at_the_same_moment_are_both_answered_one_after_the_other) {
  for (int round = 0; round < 20; ++round) {
    served here(fine);
    here.make("s");
    std::thread other([&] { BOOST_REQUIRE(here.say("s", "first").status == 202); });
    const auto got = here.say("s", "second");
    other.join();
    BOOST_TEST(got.status == 202);
    here.until_idle("s");
    BOOST_TEST(here.play.count("s", "messages.consumed") == 2U);
    BOOST_TEST(here.play.count("s", "inference.started") == 2U);
    BOOST_TEST(here.get("/v1/sessions/s/context").size("messages") == 4U);
    BOOST_TEST(here.play.wrong_with("s") == "");
  }
}

// B-101, B-105: an answer is given once; later it has no authority, and another is a conflict.
BOOST_AUTO_TEST_CASE(an_old_permission_runs_nothing_again) {
  served here(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"when":{"last_user_contains":"do"},"reply":[)"
      + hold_call("a") + "]}\n" + fine);
  here.play.gates.open("a");
  here.make("s", R"(,"permissions":[{"tool":"*","decision":"ask"}])");
  here.say("s", "do");
  here.until_attention("s");
  const auto id = here.get("/v1/sessions/s/decisions").at("permissions/0/decision_id");
  const std::string path = "/v1/sessions/s/decisions/" + id;
  BOOST_TEST(here.post(path, R"({"decision":"allow"})").status == 200);
  here.until_idle("s");
  BOOST_TEST(here.post(path, R"({"decision":"deny"})").status == 409);
  here.say("s", "Hello");
  BOOST_TEST(here.post(path, R"({"decision":"allow"})").status == 200);
  here.until_idle("s");
  BOOST_TEST(here.play.gates.begun("a") == 1U);
  BOOST_TEST(here.play.count("s", "permission.decided") == 1U);
}

// B-110: a mebibyte is no obstacle, neither to the store nor to who reads along.
BOOST_AUTO_TEST_CASE(a_message_of_a_mebibyte_comes_whole_by_every_way) {
  served here(fine);
  here.make("s");
  event_reader reader(here.port(), "s");
  std::string text;
  while (text.size() < (1U << 20))
    text += "🙂 " + std::to_string(text.size()) + "\n";
  BOOST_TEST(here.say("s", text).status == 202);
  BOOST_TEST((reader.until("message.queued").at("data/content") == text));
  reader.until("run.finished");
  BOOST_TEST((here.get("/v1/sessions/s/events?type=message.queued").at("events/0/data/content") == text));
  BOOST_TEST((here.get("/v1/sessions/s/context").at("messages/0/content/0/text") == text));
  BOOST_TEST(here.say("s", std::string(33U << 20, 'x')).status == 413);
  BOOST_TEST(here.say("s", "And on").status == 202);
  here.until_idle("s");
}

// B-128: the place to go on from is what the stream was opened with, until an event says otherwise.
BOOST_AUTO_TEST_CASE(a_reader_that_is_dropped_before_its_first_event_loses_nothing) {
  served here(fine);
  here.make("s");
  for (int i = 0; i < 3; ++i) {
    const event_reader dropped(here.port(), "s", "", "1");
    BOOST_TEST(dropped.status() == 200);
    here.say("s", "Hello");
    here.until_idle("s");
  }
  event_reader reader(here.port(), "s", "?follow=false", "1");
  std::int64_t expected = 2;
  for (auto event = reader.next(); !event.name.empty(); event = reader.next())
    BOOST_TEST(event.id == std::to_string(expected++));
  BOOST_TEST(std::to_string(expected - 1) == here.get("/v1/sessions/s").at("head_seq"));
}

// B-130: who comes again is sent what it hasn't had.
BOOST_AUTO_TEST_CASE(a_reader_that_comes_again_is_not_sent_the_history) {
  served here(fine);
  here.make("s");
  event_reader live(here.port(), "s");
  std::string last;
  for (int i = 0; i < 40; ++i) {
    here.say("s", "Hello");
    last = live.until("run.finished").id;
  }
  event_reader again(here.port(), "s", "?follow=false", last);
  BOOST_TEST(again.next().name == "");
  BOOST_TEST(here.get("/v1/sessions/s/events?limit=7").size("events") == 7U);
}

// B-131: a message that is sent again is the same message, at once, later, and on another node.
BOOST_AUTO_TEST_CASE(a_message_that_is_sent_again_runs_no_model_twice) {
  served here(R"({"reply":[{"hold":"gate"},{"text":"Fine."}]})");
  here.make("s");
  std::vector<answered> got(4);
  std::vector<std::thread> clients;
  for (auto& one : got)
    clients.emplace_back([&] { one = here.say("s", "Hello", R"(,"id":"m1")"); });
  for (auto& one : clients)
    one.join();
  BOOST_REQUIRE(here.play.gym->wait_until_held("gate", patience));
  got.push_back(here.say("s", "Hello", R"(,"id":"m1")")); // while it is answered
  here.play.gym->release("gate");
  here.until_idle("s");
  got.push_back(here.say("s", "Hello", R"(,"id":"m1")"));
  here.start_anew();
  got.push_back(here.say("s", "Hello", R"(,"id":"m1")"));
  std::multiset<std::string> duplicates;
  for (const auto& one : got) {
    BOOST_TEST(one.status == 202, one.body);
    BOOST_TEST(one.at("seq") == got.front().at("seq"));
    duplicates.insert(one.at("duplicate"));
  }
  BOOST_TEST(duplicates.count("false") == 1U);
  BOOST_TEST(requests(here) == 1U);
  BOOST_TEST(here.play.count("s", "message.queued") == 1U);
}

// B-132: a quiet stream says that it lives, and a reader that is dead is let go of.
BOOST_AUTO_TEST_CASE(a_quiet_stream_is_heard_and_a_dead_reader_is_dropped) {
  gateway::server_settings settings;
  settings.http.comment_interval = std::chrono::milliseconds(20);
  settings.http.stall_timeout = std::chrono::milliseconds(200);
  served here(R"({"reply":[{"text":")" + std::string(500'000, 'x') + R"("}]})", {}, settings);
  here.make("s");
  const std::string ask =
      "GET /v1/sessions/s/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n";
  gateway::testing::client quiet(here.port());
  quiet.send(ask);
  for (int i = 0; i < 3; ++i) // behind the first event nothing happens
    BOOST_TEST(quiet.read_to("\n: keep-alive\n").ends_with("alive\n"));
  gateway::testing::client dead(here.port(), 4096);
  dead.send(ask);
  event_reader living(here.port(), "s");
  for (int i = 0; i < 12; ++i) { // 6 MB and their deltas, more than any buffer on the way
    here.say("s", "Hello");
    living.until("run.finished");
  }
  const auto all = dead.read_all(); // ends: nobody holds on to it
  BOOST_TEST(all.find("\r\n0\r\n\r\n") == std::string::npos);
  BOOST_TEST(all.size() < 6'000'000U);
}

// B-142: what waits for somebody holds up no end.
BOOST_AUTO_TEST_CASE(sessions_that_wait_for_clients_hold_up_no_leaving) {
  std::optional<served> here(std::in_place, R"({"reply":[{"call":{"name":"remote","arguments":{}}}]})");
  for (int i = 0; i < 50; ++i) {
    const std::string id = "s" + std::to_string(i);
    here->make(id,
        R"(,"client_tools":[{"name":"remote","description":"Far.","parameters":{"type":"object"},)"
        R"("timeout_ms":3600000}])");
    here->say(id, "Hello");
    here->until_attention(id);
  }
  const auto begun = std::chrono::steady_clock::now();
  BOOST_TEST(here->server().drain(std::chrono::seconds(60)));
  here.reset();
  BOOST_TEST((std::chrono::steady_clock::now() - begun < std::chrono::seconds(5)));
}

// B-077: pictures that make every request too big, older ones first, give way to a line of text.
BOOST_AUTO_TEST_CASE(a_conversation_whose_pictures_grew_too_many_goes_on_with_the_newest) {
  served here(R"({"times":5,"reply":[{"text":"Seen."}]}
{"times":2,"reply":[{"http_error":{"status":413,"type":"request_too_large","message":"too big"}}]}
{"reply":[{"text":"Still here."}]})");
  here.make("s");
  for (const char letter : {'A', 'B', 'C', 'D', 'E'}) {
    here.say_blocks("s",
        R"([{"type":"text","text":"Look"},{"type":"image","media_type":"image/png","data":")"
            + std::string(12'000, letter) + R"("}])");
    here.until_idle("s");
  }
  here.say("s", "And now?");
  BOOST_TEST(here.until_idle("s").at("error") == "");
  BOOST_TEST(requests(here) == 8U);
  const auto all = here.play.gym->requests();
  const auto last = all.substr(all.rfind("\"messages\""));
  BOOST_TEST(last.find("[picture left out: ") != std::string::npos);
  BOOST_TEST(last.find("AAAAAAAA") == std::string::npos);
  BOOST_TEST(last.find("DDDDDDDD") == std::string::npos);
  BOOST_TEST(last.find("EEEEEEEE") != std::string::npos);
  const auto context = here.get("/v1/sessions/s/context").body; // the log has all of them
  BOOST_TEST(context.find("AAAAAAAA") != std::string::npos);
  BOOST_TEST(context.find("left out") == std::string::npos);
}

// B-079: a picture that no provider takes doesn't get into the history, or doesn't fail it for ever.
BOOST_AUTO_TEST_CASE(a_picture_that_is_too_big_is_refused_here_or_left_out_where_the_provider_refuses_it) {
  served here(
      R"({"times":1,"reply":[{"http_error":{"status":400,"message":"messages.0.content.1: image is broken"}}]}
{"reply":[{"text":"Fine."}]})");
  here.make("s");
  const auto wide = R"([{"type":"image","data":"iVBORw0KGgoAAAANSUhEUgAAIygAAAAKCAIAAAAAAAAAAAAAAA=="}])";
  const auto refused = here.say_blocks("s", wide);
  BOOST_TEST(refused.status == 400);
  BOOST_TEST(refused.body.find("9000 by 10 pixels") != std::string::npos, refused.body);
  BOOST_TEST(refused.body.find("\"/content\"") != std::string::npos, refused.body);
  here.say_blocks("s", R"([{"type":"text","text":"Look"},{"type":"image","data":"AAAA"}])");
  BOOST_TEST(here.until_idle("s").at("error") == "");
  BOOST_TEST(requests(here) == 2U);
  BOOST_TEST(here.get("/v1/sessions/s/events?type=inference.finished").at("events/0/data/retries") == "1");
}

BOOST_AUTO_TEST_SUITE_END()
