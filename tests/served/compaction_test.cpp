// Compaction and limits over HTTP: asked for, refused by name, answered when it is done.
#include "tests/served/served.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(served_compaction)

namespace {

const std::string rules =
    R"({"when":{"last_user_contains":"[user] "},"reply":[{"text":"## Current work\nA.\n\n## Next steps\nB."}]}
{"reply":[{"text":"Yes."}]})";

} // namespace

BOOST_AUTO_TEST_CASE(a_context_is_made_smaller_on_request) {
  served here(rules);
  here.make("s", R"(,"compaction":{"strategy":"summarize","keep":1})");
  BOOST_TEST(here.get("/v1/sessions/s").at("compaction/strategy") == "summarize");
  for (const char* const text : {"First", "Second"}) {
    here.say("s", text);
    here.until_idle("s");
  }
  const auto done = here.post("/v1/sessions/s/compact");
  BOOST_TEST(done.status == 200, done.body);
  BOOST_TEST(done.at("compacted") == "true");
  BOOST_TEST(done.at("seq") == std::to_string(here.play.log("s").back().seq));
  const auto context = here.get("/v1/sessions/s/context");
  BOOST_TEST(context.at("messages/0/content/0/text").starts_with("## Current work"));
  BOOST_TEST(context.size("messages") == 3U);
  const auto again = here.post("/v1/sessions/s/compact");
  BOOST_TEST(again.status == 200);
  BOOST_TEST(again.body == R"({"compacted":false})");
}

BOOST_AUTO_TEST_CASE(one_that_fails_is_a_conflict_with_the_reason) {
  served here(R"({"when":{"last_user_contains":"[user] "},"reply":[{"text":"Nice."}]}
{"reply":[{"text":"Yes."}]})");
  here.make("s", R"(,"compaction":{"strategy":"summarize","keep":1})");
  for (const char* const text : {"First", "Second"}) {
    here.say("s", text);
    here.until_idle("s");
  }
  const auto refused = here.post("/v1/sessions/s/compact");
  BOOST_TEST(refused.status == 409);
  BOOST_TEST(
      refused.at("detail").find("nothing was changed: the summary lacks the section") != std::string::npos);
  BOOST_TEST(here.get("/v1/sessions/s/context").size("messages") == 4U);
}

BOOST_AUTO_TEST_CASE(a_run_that_waits_for_somebody_is_not_compacted) {
  served here(R"({"reply":[{"call":{"name":"big","arguments":{"bytes":3}}}]})");
  here.make("s", R"(,"permissions":[{"tool":"*","decision":"ask"}])");
  here.say("s", "Go.");
  here.until_attention("s");
  const auto refused = here.post("/v1/sessions/s/compact");
  BOOST_TEST(refused.status == 409);
  BOOST_TEST(refused.at("detail").find("waits for an answer") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(options_out_of_bounds_are_refused_by_their_place) {
  served here(rules);
  const auto refused = here.post("/v1/sessions",
      R"({"id":"s","compaction":{"strategy":"summarize","keep":0,"threshold_tokens":1},"output_limit":{"max_messages":1}})");
  BOOST_TEST(refused.status == 400);
  BOOST_TEST(refused.at("errors/0/pointer") == "/compaction/keep");
  BOOST_TEST(refused.size("errors") == 3U);
  const auto unknown = here.post("/v1/sessions", R"({"id":"s","compaction":{"strategy":"forget"}})");
  BOOST_TEST(unknown.status == 400);
  BOOST_TEST(unknown.at("errors/0/pointer") == "/compaction/strategy");
  const auto missing = here.post("/v1/sessions", R"({"id":"s","compaction":{"keep":3}})");
  BOOST_TEST(missing.at("errors/0/pointer") == "/compaction/strategy");
}

BOOST_AUTO_TEST_CASE(options_change_while_the_session_goes_on) {
  served here(rules);
  here.make("s");
  BOOST_TEST(
      here.patch("/v1/sessions/s", R"({"compaction":{"strategy":"clear_tool_results","keep":2}})").status
      == 200);
  BOOST_TEST(here.get("/v1/sessions/s").at("compaction/keep") == "2");
  BOOST_TEST(
      here.patch("/v1/sessions/s", R"({"compaction":{"strategy":"summarize","keep":0}})").status == 400);
  BOOST_TEST(here.patch("/v1/sessions/s", R"({"compaction":null})").status == 200);
}

BOOST_AUTO_TEST_CASE(a_run_ends_at_its_output_limit) {
  served here(R"({"reply":[{"call":{"name":"big","arguments":{"bytes":3}}}]})");
  here.make("s", R"(,"output_limit":{"max_messages":6})");
  here.say("s", "Go on and on.");
  here.until_idle("s");
  const auto outcome = all_of<run_finished>(here.play.log("s")).front().outcome;
  BOOST_TEST((outcome.kind == run_outcome_kind::output_limit));
  BOOST_TEST(outcome.limit.value() == "messages");
  BOOST_TEST(
      here.get("/v1/sessions/s/context").size("messages") == 7U); // the result that closes its last call
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_SUITE_END()
