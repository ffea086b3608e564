// Sessions that keep their context alone: what came before it is gone, and nothing else is different.
#include "messages/event_codec.hpp"
#include "tests/served/served.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(served_retention)

namespace {

const std::string kept_alone = R"(,"retention":"context")";
const std::string hi = R"({"when":{"last_user_contains":"long"},"reply":[{"text":"Short."}]}
{"reply":[{"text":"Hi."}]})";

void leaves_at_once(actors::node_settings& settings) {
  settings.rest_before_leaving = std::chrono::milliseconds(1);
  settings.takes_over = true;
}

/// Until nothing is left of the log up to `head`, at which the session came to rest, or which says so
/// itself; gives its first event's number.
std::int64_t until_it_begins_at(served& here, const std::string& id, std::int64_t head) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < until)
    if (const auto stored = here.play.stored(id); !stored.empty() && stored.front().seq >= head)
      return stored.front().seq;
  BOOST_FAIL("the log of `" + id + "` stays as long as it was: " + here.play.types(id));
  return 0;
}

/// A session with two answers, of which the context alone is left; gives where its log begins.
std::int64_t make_and_trim(served& here) {
  here.make("s", kept_alone + R"(,"metadata":{"a":1})");
  here.say("s", "Hello", R"(,"id":"m1")");
  here.until_idle("s");
  here.say("s", "A long one " + std::string(9'000, '.'), R"(,"id":"m2")");
  const auto head = std::stoll(here.until_idle("s").at("head_seq"));
  return until_it_begins_at(here, "s", head);
}

} // namespace

BOOST_AUTO_TEST_CASE(the_context_stays_and_what_came_before_it_goes) {
  served here(hi, leaves_at_once);
  const auto begin = make_and_trim(here);
  const auto events = here.get("/v1/sessions/s/events");
  BOOST_TEST(events.size("events") == 1U);
  BOOST_TEST(events.at("events/0/type") == "context.trimmed");
  BOOST_TEST(events.at("events/0/data/through_seq") == std::to_string(begin - 1));
  const auto context = here.get("/v1/sessions/s/context");
  BOOST_TEST(context.size("messages") == 4U);
  BOOST_TEST(context.at("messages/2/content/0/text").size() == 9'011U);
  const auto session = here.get("/v1/sessions/s");
  BOOST_TEST(session.at("status") == "idle");
  BOOST_TEST(session.at("metadata/a") == "1");
  BOOST_TEST(session.at("head_seq") == std::to_string(begin));
  const auto verified = here.post("/v1/sessions/s/verify");
  BOOST_TEST(verified.at("ok") == "true", verified.body);
  BOOST_TEST(verified.at("events") == "1");
  BOOST_TEST(verified.at("begins_after") == std::to_string(begin - 1));
}

BOOST_AUTO_TEST_CASE(it_goes_on_and_is_trimmed_again) {
  served here(hi, leaves_at_once);
  auto begin = make_and_trim(here);
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(here.say("s", "Again", R"(,"id":"again-)" + std::to_string(i) + "\"").status == 202);
    const auto head = std::stoll(here.until_idle("s").at("head_seq"));
    BOOST_TEST(head > begin);
    begin = until_it_begins_at(here, "s", head);
    BOOST_TEST(here.play.wrong_with("s") == "");
    BOOST_TEST(here.get("/v1/sessions/s/context").size("messages") == static_cast<std::size_t>(6 + 2 * i));
  }
}

BOOST_AUTO_TEST_CASE(nothing_is_written_while_nothing_happens) {
  served here(hi, leaves_at_once);
  const auto begin = make_and_trim(here);
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(here.post("/v1/sessions/s/abort").status < 300); // wakes it
    while (here.node->sessions_in_memory() > 0)
      std::this_thread::yield();
  }
  BOOST_TEST(here.get("/v1/sessions/s").at("head_seq") == std::to_string(begin));
}

BOOST_AUTO_TEST_CASE(what_was_said_before_is_known_by_its_id) {
  served here(hi, leaves_at_once);
  make_and_trim(here);
  const auto twice = here.say("s", "Hello", R"(,"id":"m1")");
  BOOST_TEST(twice.status == 202, twice.body);
  BOOST_TEST(twice.at("duplicate") == "true");
  BOOST_TEST(
      here.post("/v1/sessions",
              R"({"id":"s","provider":"gym","tools":["stage"],"retention":"context","metadata":{"a":1}})")
          .status
      == 200);
  BOOST_TEST(here.post("/v1/sessions", R"({"id":"s","provider":"gym","retention":"log"})").status == 409);
}

BOOST_AUTO_TEST_CASE(what_went_is_refused_by_name) {
  served here(hi, leaves_at_once);
  const auto begin = make_and_trim(here);
  for (const char* const path : {"/v1/sessions/s/state?at=1", "/v1/sessions/s/context?at=2"}) {
    const auto gone = here.get(path);
    BOOST_TEST(gone.status == 404, gone.body);
    BOOST_TEST(gone.at("detail").find("were removed") != std::string::npos, gone.body);
  }
  BOOST_TEST(here.get("/v1/sessions/s/state?at=" + std::to_string(begin)).status == 200);
  const auto fork = here.post("/v1/sessions/s/fork", R"({"at":2,"id":"f"})");
  BOOST_TEST(fork.status == 404, fork.body);
  const auto made = here.post("/v1/sessions/s/fork", R"({"at":)" + std::to_string(begin) + R"(,"id":"f"})");
  BOOST_TEST(made.status == 201, made.body);
  BOOST_TEST(here.get("/v1/sessions/f/context").size("messages") == 4U);
  BOOST_TEST(here.play.wrong_with("f") == "");
}

BOOST_AUTO_TEST_CASE(a_reader_that_stood_before_goes_on_behind_it) {
  served here(hi, leaves_at_once);
  const auto begin = make_and_trim(here);
  for (const char* const last : {"", "3"}) {
    event_reader stream(here.port(), "s", "?follow=false", last);
    const auto first = stream.next();
    BOOST_TEST(first.name == "context.trimmed", last);
    BOOST_TEST(first.id == std::to_string(begin));
    BOOST_TEST(stream.next().name == "");
  }
}

BOOST_AUTO_TEST_CASE(a_reader_that_follows_sees_it_come) {
  served here(hi, leaves_at_once);
  here.make("s", kept_alone);
  event_reader stream(here.port(), "s");
  here.say("s", "Hello");
  const auto head = std::stoll(here.until_idle("s").at("head_seq"));
  std::int64_t seen = 0;
  while (seen < head) // it may have been shortened before anything was said, too
    seen = std::stoll(stream.until("context.trimmed").id);
  here.say("s", "Again");
  BOOST_TEST(stream.next().name == "message.queued");
}

BOOST_AUTO_TEST_CASE(what_a_fork_reads_stays_until_the_fork_is_gone) {
  served here(hi);
  here.make("s", kept_alone);
  here.say("s", "Hello");
  here.until_idle("s");
  BOOST_TEST(here.post("/v1/sessions/s/fork", R"({"at":3,"id":"f"})").status == 201);
  here.start_anew(leaves_at_once);
  here.say("s", "Again");
  const auto behind = std::stoll(here.until_idle("s").at("head_seq"));
  while (here.node->sessions_in_memory() > 0)
    std::this_thread::yield();
  BOOST_TEST(here.play.stored("s").front().seq == 1);
  BOOST_TEST(here.get("/v1/sessions/s").at("head_seq") == std::to_string(behind));
  BOOST_TEST(here.remove("/v1/sessions/f").status == 204);
  here.say("s", "Once more");
  until_it_begins_at(here, "s", std::stoll(here.until_idle("s").at("head_seq")));
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_node_that_ends_in_order_leaves_the_context_alone) {
  served here(hi);
  here.make("s", kept_alone);
  here.say("s", "Hello");
  const auto head = std::stoll(here.until_idle("s").at("head_seq"));
  here.start_anew();
  BOOST_TEST(here.play.stored("s").front().seq == head + 1);
  BOOST_TEST(here.get("/v1/sessions/s/context").size("messages") == 2U);
}

BOOST_AUTO_TEST_CASE(a_session_that_waits_for_somebody_keeps_its_log) {
  served here(R"({"reply":[)" + hold_call("a") + "]}", leaves_at_once);
  here.make("s", kept_alone + R"(,"permissions":[{"tool":"*","decision":"ask"}])");
  here.say("s", "Do it");
  here.until_attention("s");
  const auto before = here.play.stored("s"); // it may have been shortened before anything was said
  while (here.node->sessions_in_memory() > 0)
    std::this_thread::yield();
  BOOST_TEST((here.play.stored("s") == before));
}

BOOST_AUTO_TEST_CASE(an_unknown_retention_is_refused) {
  served here(hi);
  const auto no = here.post("/v1/sessions", R"({"id":"s","provider":"gym","retention":"contxt"})");
  BOOST_TEST(no.status == 400, no.body);
  BOOST_TEST(no.at("errors/0/pointer") == "/retention", no.body);
}

BOOST_AUTO_TEST_SUITE_END()
