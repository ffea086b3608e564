// The checks of Chat Completions, each with a request that breaks just that one.
#include "providers/gym/chat_rules.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::providers::gym {

BOOST_AUTO_TEST_SUITE(gym_chat_rules)

namespace {

std::string with_messages(const std::string& messages, const std::string& more = "") {
  return R"({"model":"m","messages":)" + messages + more + "}";
}

conversation read(const std::string& body) {
  auto got = read_chat_request(body);
  if (auto* error = std::get_if<service_error>(&got))
    BOOST_FAIL(error->message);
  return std::get<conversation>(got);
}

void refused(const std::string& body, std::string_view words, std::string_view param = {}) {
  auto got = read_chat_request(body);
  BOOST_REQUIRE_MESSAGE(std::holds_alternative<service_error>(got), body);
  const auto& error = std::get<service_error>(got);
  BOOST_TEST(error.status == 400);
  BOOST_TEST(error.type == "invalid_request_error");
  BOOST_TEST(error.message.find(words) != std::string::npos, error.message);
  if (!param.empty())
    BOOST_TEST(error.param == param);
}

const std::string hi = R"([{"role":"user","content":"hi"}])";

std::string call(const std::string& id, const std::string& name = "x") {
  return R"({"id":")" + id + R"(","type":"function","function":{"name":")" + name + R"(","arguments":"{}"}})";
}
std::string called(const std::string& calls) {
  return R"({"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[)" + calls + "]}";
}
std::string result(const std::string& id) {
  return R"({"role":"tool","tool_call_id":")" + id + R"(","content":"1"})";
}
std::string tool(const std::string& function) {
  return R"(,"tools":[{"type":"function","function":)" + function + "}]";
}

} // namespace

BOOST_AUTO_TEST_CASE(a_lawful_conversation_is_understood) {
  auto both = "[" + called(call("a") + "," + call("b", "y")) + "," + result("b") + "," + result("a");
  auto got = read(with_messages(both
          + R"(,{"role":"user","content":[{"type":"text","text":"more"},{"type":"image_url","image_url":{"url":"https://e.x/a.png"}}]}])",
      R"(,"stream":true,"stream_options":{"include_usage":true},"tools":[{"type":"function","function":{"name":"x"}}])"));
  BOOST_TEST(got.model == "m");
  BOOST_TEST(got.stream);
  BOOST_TEST(got.stream_usage);
  BOOST_TEST(got.inference == 2);
  BOOST_TEST(got.has_tool_result);
  BOOST_TEST(got.last_user_text == "more");
  BOOST_TEST(got.results.empty());
  BOOST_TEST(got.tools.size() == 1U);
  auto answered = read(with_messages(both + R"(,{"role":"user","content":"<system>x</system>"}])"));
  BOOST_TEST(answered.last_user_text == "go");
  BOOST_REQUIRE_EQUAL(answered.results.size(), 2U);
  BOOST_TEST(answered.results[0].tool == "y");
  BOOST_TEST(!answered.stream);
  read(with_messages(
      R"([{"role":"system","content":"s"},{"role":"developer","content":"d"},{"role":"assistant","content":"x"},{"role":"user","content":"y"}])"));
}

BOOST_AUTO_TEST_CASE(fields) {
  refused("{", "could not parse");
  refused("[]", "could not parse");
  refused(R"({"messages":[]})", "you must provide a model parameter");
  refused(R"({"model":"m"})", "Missing required parameter: 'messages'", "messages");
  refused(with_messages("[]"), "empty array", "messages");
  refused(with_messages(hi, R"(,"streem":true)"), "Unknown parameter: 'streem'", "streem");
  refused(with_messages(hi, R"(,"stream":1)"), "expected a boolean", "stream");
  refused(with_messages(hi, R"(,"stream_options":{"include_usage":true})"), "only allowed when 'stream'");
  refused(with_messages(hi, R"(,"max_completion_tokens":0)"), "at least 1", "max_completion_tokens");
  refused(with_messages(hi, R"(,"temperature":3)"), "temperature");
  refused(
      with_messages(hi, R"(,"reasoning_effort":"off")"), "Supported values are: 'none'", "reasoning_effort");
  refused(with_messages(hi, R"(,"tool_choice":"auto")"), "only allowed when 'tools'", "tool_choice");
  refused(with_messages(hi, R"(,"parallel_tool_calls":true)"), "only allowed when 'tools'");
}

BOOST_AUTO_TEST_CASE(tools) {
  refused(with_messages(hi, R"(,"tools":[])"), "empty array", "tools");
  refused(with_messages(hi, R"(,"tools":[{"type":"nonsense"}])"), "Supported values", "tools[0].type");
  refused(with_messages(hi, R"(,"tools":[{"type":"function"}])"), "Missing", "tools[0].function");
  refused(with_messages(hi, tool(R"({"name":"a b"})")), "does not match pattern", "tools[0].function.name");
  refused(with_messages(hi, tool("{\"name\":\"" + std::string(65, 'a') + "\"}")), "maximum length 64");
  refused(with_messages(hi, tool(R"({"name":"a","parameters":{"type":"string"}})")), "type: \"object\"",
      "tools[0].function.parameters");
  refused(
      with_messages(hi, tool(R"({"name":"a","parameters":{"type":"object","required":[1]}})")), "required");
  refused(with_messages(hi, tool(R"({"name":"a","parameters":{"type":"object","properties":[]}})")),
      "properties");
  refused(
      with_messages(hi,
          R"(,"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"a"}}])"),
      "unique");
  refused(with_messages(
              hi, tool(R"({"name":"a"})") + R"(,"tool_choice":{"type":"function","function":{"name":"z"}})"),
      "not found");
}

BOOST_AUTO_TEST_CASE(messages) {
  refused(with_messages(R"([{"content":"x"}])"), "messages[0].role");
  refused(with_messages(R"([{"role":"robot","content":"x"}])"), "Supported values", "messages[0].role");
  refused(with_messages(R"([{"role":"user"}])"), "expected a string, got null");
  refused(with_messages(R"([{"role":"user","content":[]}])"), "empty array");
  refused(with_messages(R"([{"role":"user","content":[{"type":"nonsense"}]}])"), "nonsense");
  refused(
      with_messages(R"([{"role":"user","content":[{"type":"image_url","image_url":{"url":"file:///x"}}]}])"),
      "data URL");
  refused(with_messages(R"([{"role":"assistant","content":null}])"), "expected a string, got null");
  refused(with_messages(R"([{"role":"assistant","content":"x","tool_calls":[]}])"), "empty array");
  refused(with_messages(
              R"([{"role":"assistant","content":[{"type":"image_url","image_url":{"url":"https://x"}}]}])"),
      "doesn't take it");
}

BOOST_AUTO_TEST_CASE(pairs) {
  const std::string both = called(call("a") + "," + call("b"));
  refused(with_messages("[" + both + "]"), "did not have response messages: a, b", "messages.[1].role");
  refused(with_messages("[" + both + "," + result("a") + "]"), "response messages: b");
  refused(with_messages(
              "[" + both + "," + result("a") + R"(,{"role":"user","content":"x"},)" + result("b") + "]"),
      "response messages: b");
  refused(with_messages("[" + both + "," + result("a") + "," + result("a") + "]"), "must be a response");
  refused(with_messages("[" + result("a") + "]"), "must be a response", "messages.[0].role");
  refused(with_messages("[" + called(call("a") + "," + call("a")) + "]"), "Duplicate");
  refused(with_messages("[" + called(call("a")) + "," + result("a") + "," + called(call("a")) + ","
              + result("a") + "]"),
      "Duplicate");
  refused(with_messages("[" + called(call(std::string(41, 'i'))) + "]"), "maximum length 40");
  refused(with_messages("[" + called(call("")) + "]"), "messages[1].tool_calls[0].id");
  refused(with_messages("[" + called(call("a", "a b")) + "]"), "does not match pattern");
  refused(with_messages(
              "[" + called(R"({"id":"a","type":"function","function":{"name":"x","arguments":{}}})") + "]"),
      "expected a string");
  refused(with_messages("[" + called(R"({"id":"a"})") + "]"), "type");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers::gym
