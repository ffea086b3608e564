// Scripts: what they say, and how a misspelt one is refused.
#include "providers/gym/script.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::providers::gym {

BOOST_AUTO_TEST_SUITE(gym_script)

namespace {

void refused(std::string_view lines, std::string_view words) {
  auto parsed = script::parse(lines);
  BOOST_REQUIRE(!parsed);
  BOOST_TEST(parsed.error().detail.find(words) != std::string::npos, parsed.error().detail);
}

std::string first_text(const std::vector<step>* reply) {
  return reply == nullptr ? "none" : std::get<say>(reply->front()).text;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_step_is_read) {
  auto parsed = script::parse(
      R"({"when":{"last_user_contains":"a","inference":2,"model":"m","has_tool_result":false},"times":3,"reply":[{"text":"t"},{"thinking":"h"},)"
      R"({"call":{"name":"n","arguments":{"a": 1},"id":"i"}},{"call":{"name":"n","raw_arguments":"{oops"}},{"delay_ms":5},{"chunk_bytes":3},{"hold":"x"},)"
      R"({"stop":"max_tokens"},{"stop":null},{"usage":{"input_tokens":9}},{"http_error":{"status":429,"type":"t","message":"m","retry_after":0.5}},)"
      R"({"stream_error":{"type":"api_error","message":"m"}},{"disconnect":true},{"garbage":"\u0000zz"}]})"
      "\n\n");
  BOOST_REQUIRE(parsed);
  BOOST_TEST(parsed->size() == 1U);
  const auto* reply = parsed->next_reply({"a b", 2, "m", false});
  BOOST_REQUIRE(reply != nullptr);
  BOOST_REQUIRE_EQUAL(reply->size(), 14U);
  BOOST_TEST(std::get<call_tool>((*reply)[2]).arguments == R"({"a":1})");
  BOOST_TEST(std::get<call_tool>((*reply)[3]).arguments == "{oops");
  BOOST_TEST(std::get<stop_with>((*reply)[8]).reason.empty());
  BOOST_TEST(std::get<answer_error>((*reply)[10]).retry_after.value() == 0.5);
  BOOST_TEST(std::get<send_garbage>((*reply)[13]).bytes.size() == 3U);
}

BOOST_AUTO_TEST_CASE(the_first_rule_that_matches_and_is_not_used_up_wins) {
  auto rules = script::parse(R"({"when":{"last_user_contains":"x"},"times":2,"reply":[{"text":"one"}]}
{"when":{"inference":3},"reply":[{"text":"two"}]}
{"when":{"has_tool_result":true},"reply":[{"text":"three"}]}
{"when":{"model":"m"},"reply":[{"text":"four"}]})")
                   .value();
  BOOST_TEST(first_text(rules.next_reply({"axb", 3, "m", true})) == "one");
  BOOST_TEST(first_text(rules.next_reply({"axb", 3, "m", true})) == "one");
  BOOST_TEST(first_text(rules.next_reply({"axb", 3, "m", true})) == "two");
  BOOST_TEST(first_text(rules.next_reply({"axb", 1, "m", true})) == "three");
  BOOST_TEST(first_text(rules.next_reply({"axb", 1, "m", false})) == "four");
  BOOST_TEST(first_text(rules.next_reply({"axb", 1, "n", false})) == "none");
}

BOOST_AUTO_TEST_CASE(a_misspelt_script_is_refused_with_its_line_and_a_suggestion) {
  refused("{\"reply\":[]}\n{\"replay\":[]}", "line 2");
  refused(R"({"reply":[{"texts":"a"}]})", "did you mean \"text\"");
  refused(R"({"when":{"last_user_contain":"a"},"reply":[]})", "last_user_contains");
  refused(R"({"when":{"inference":"1"},"reply":[]})", "when.inference must be an integer");
  refused(R"({"reply":[{"text":"a","delay_ms":1}]})", "exactly one key");
  refused(R"({"reply":[{"delay_ms":-1}]})", "delay_ms must be an integer from 0");
  refused(R"({"reply":[{"http_error":{}}]})", "status");
  refused(R"({"reply":[{"call":{"arguments":{}}}]})", "call.name");
  refused(R"({"reply":[{"disconnect":false}]})", "disconnect must be true");
  refused(R"({"reply":[3]})", "must be an object");
  refused(R"({"times":0,"reply":[]})", "times must be an integer from 1");
  refused(R"({"when":{}})", "reply must be a list");
  refused("[]", "must be an object");
  refused("{", "line 1");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers::gym
