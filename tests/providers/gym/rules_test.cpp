// The real service's checks, each with a request that breaks just that one.
#include "providers/gym/messages_rules.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::providers::gym {

BOOST_AUTO_TEST_SUITE(gym_rules)

namespace {

std::string with_messages(const std::string& messages, const std::string& more = "") {
  return R"({"model":"m","max_tokens":9,"messages":)" + messages + more + "}";
}

conversation read(const std::string& body) {
  auto got = read_messages_request(body);
  if (auto* error = std::get_if<service_error>(&got))
    BOOST_FAIL(error->message);
  return std::get<conversation>(got);
}

void refused(const std::string& body, std::string_view words) {
  auto got = read_messages_request(body);
  BOOST_REQUIRE_MESSAGE(std::holds_alternative<service_error>(got), body);
  const auto& error = std::get<service_error>(got);
  BOOST_TEST(error.status == 400);
  BOOST_TEST(error.type == "invalid_request_error");
  BOOST_TEST(error.message.find(words) != std::string::npos, error.message);
}

const std::string called =
    R"({"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"x","input":{}},{"type":"tool_use","id":"b","name":"y","input":{}}]})";
const std::string result_a = R"({"type":"tool_result","tool_use_id":"a","content":"1"})";
const std::string result_b = R"({"type":"tool_result","tool_use_id":"b"})";

std::string user(const std::string& blocks) { return R"({"role":"user","content":[)" + blocks + "]}"; }

} // namespace

BOOST_AUTO_TEST_CASE(a_lawful_conversation_is_understood) {
  auto got = read(with_messages(
      "[" + called + "," + user(result_a + "," + result_b + R"(,{"type":"text","text":"more"})") + "]",
      R"(,"stream":true,"system":"s","tools":[{"name":"x","input_schema":{"type":"object"}}])"));
  BOOST_TEST(got.model == "m");
  BOOST_TEST(got.stream);
  BOOST_TEST(got.inference == 2);
  BOOST_TEST(got.has_tool_result);
  BOOST_TEST(got.last_user_text == "more");
  BOOST_TEST(got.results.empty());
  BOOST_TEST(got.tools.size() == 1U);
  BOOST_TEST(got.call_ids.count("a") == 1U);
  auto answered = read(with_messages("[" + called + "," + user(result_a + "," + result_b) + "]"));
  BOOST_TEST(answered.last_user_text == "go");
  BOOST_REQUIRE_EQUAL(answered.results.size(), 2U);
  BOOST_TEST(answered.results[0].tool == "x");
  BOOST_TEST(answered.results[0].text == "1");
  // results in two messages in a row are one message
  read(with_messages("[" + called + "," + user(result_a) + "," + user(result_b) + "]"));
}

BOOST_AUTO_TEST_CASE(fields) {
  const std::string hi = R"([{"role":"user","content":"hi"}])";
  refused("{", "not valid JSON");
  refused("[]", "not a JSON object");
  refused(R"({"max_tokens":9,"messages":[]})", "model: Field required");
  refused(R"({"model":"m","messages":[]})", "max_tokens: Field required");
  refused(R"({"model":"m","max_tokens":-1,"messages":[]})", "max_tokens");
  refused(R"({"model":"m","max_tokens":1.5,"messages":[]})", "max_tokens");
  refused(R"({"model":"m","max_tokens":9})", "messages: Field required");
  refused(with_messages("[]"), "at least one message");
  refused(with_messages(hi, R"(,"streem":true)"), "streem: Extra inputs are not permitted");
  refused(with_messages(hi, R"(,"stream":1)"), "stream");
  refused(with_messages(hi, R"(,"temperature":2)"), "temperature");
  refused(with_messages(hi, R"(,"system":[{"type":"text","text":""}])"), "system");
  refused(with_messages(hi, R"(,"tools":[{"name":"a b","input_schema":{"type":"object"}}])"), "tools.0.name");
  refused(
      with_messages(hi,
          R"(,"tools":[{"name":"a","input_schema":{"type":"object"}},{"name":"a","input_schema":{"type":"object"}}])"),
      "unique");
  refused(with_messages(hi, R"(,"tools":[{"name":"a"}])"), "input_schema");
  refused(
      with_messages(hi, R"(,"tools":[{"name":"a","input_schema":{"type":"string"}}])"), "input_schema.type");
  refused(with_messages(hi, R"(,"tools":[{"name":"a","input_schema":{"type":"object","required":[1]}}])"),
      "required");
  refused(with_messages(hi, R"(,"tools":[],"tool_choice":{"type":"tool","name":"z"})"), "not found");
  read(with_messages(
      hi, R"(,"tools":[{"type":"web_search_20250305","name":"web_search"}],"thinking":{"type":"adaptive"})"));
}

BOOST_AUTO_TEST_CASE(messages) {
  refused(with_messages(R"([{"role":"assistant","content":"x"}])"), "first message");
  refused(with_messages(R"([{"role":"tool","content":"x"}])"), "role");
  refused(with_messages(R"([{"role":"user","content":""}])"), "non-empty");
  refused(with_messages(R"([{"role":"user","content":[]}])"), "non-empty");
  refused(with_messages(R"([{"role":"user"}])"), "content: Field required");
  refused(with_messages("[" + user(R"({"type":"text","text":""})") + "]"), "non-empty");
  refused(with_messages("[" + user(R"({"type":"text","text":" \n"})") + "]"), "non-whitespace");
  refused(with_messages("[" + user(R"({"type":"nonsense"})") + "]"), "expected tags");
  refused(with_messages("[" + user(R"({"type":"image","source":{"type":"base64"}})") + "]"), "media_type");
  refused(
      with_messages("[" + user(R"({"type":"tool_use","id":"a","name":"x","input":{}})") + "]"), "assistant");
  refused(
      with_messages(
          R"([{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"s"}]}])"),
      "cannot be `thinking`");
  refused(
      with_messages(
          R"([{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"y"}]}])"),
      "signature");
  std::string mark = R"({"type":"text","text":"x","cache_control":{"type":"ephemeral"}})";
  refused(with_messages("[" + user(mark + "," + mark + "," + mark + "," + mark + "," + mark) + "]"),
      "maximum of 4");
}

BOOST_AUTO_TEST_CASE(pairs) {
  refused(with_messages("[" + called + "]"), "without `tool_result` blocks immediately after: a, b");
  refused(with_messages("[" + called + "," + user(result_a) + "]"), "immediately after: b");
  refused(with_messages("[" + called + R"(,{"role":"user","content":"text"}])"), "immediately after: a, b");
  refused(with_messages("[" + called + "," + user(result_a + "," + result_a + "," + result_b) + "]"),
      "multiple `tool_result`");
  refused(with_messages(
              "[" + called + "," + user(R"({"type":"text","text":"x"},)" + result_a + "," + result_b) + "]"),
      "before any other block");
  refused(with_messages("[" + user(result_a) + "]"), "unexpected `tool_use_id`");
  refused(with_messages("[" + called + "," + user(result_a + "," + result_b)
              + R"(,{"role":"assistant","content":"x"},)" + user(result_a) + "]"),
      "unexpected `tool_use_id`");
  refused(
      with_messages(
          R"([{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"x","input":{}},{"type":"tool_use","id":"a","name":"x","input":{}}]}])"),
      "unique");
  refused(
      with_messages(
          R"([{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"a.b","name":"x","input":{}}]}])"),
      "id");
  refused(
      with_messages(
          R"([{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"x","input":"{}"}]}])"),
      "dictionary");
}

BOOST_AUTO_TEST_CASE(thinking_takes_a_budget_within_the_tokens_of_the_answer) {
  const auto asking = [](const std::string& thinking, const std::string& more = "") {
    return R"({"model":"m","max_tokens":4096,"messages":[{"role":"user","content":"hi"}],"thinking":)"
        + thinking + more + "}";
  };
  for (const char* const lawful :
      {R"({"type":"enabled","budget_tokens":1024})", R"({"type":"adaptive"})", R"({"type":"disabled"})"})
    read(asking(lawful));
  read(asking(R"({"type":"enabled","budget_tokens":1024})", R"(,"temperature":1)"));
  refused(asking(R"({"type":"on"})"), "thinking.type");
  refused(asking(R"({"type":"enabled"})"), "budget_tokens: Field required");
  refused(asking(R"({"type":"enabled","budget_tokens":1023})"), "greater than or equal to 1024");
  refused(asking(R"({"type":"enabled","budget_tokens":4096})"), "`max_tokens` must be greater");
  refused(asking(R"({"type":"adaptive"})", R"(,"temperature":0.5)"), "`temperature` may only be set to 1");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers::gym
