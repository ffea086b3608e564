// The Chat Completions request: golden bodies, the rules that every context must keep, and error documents.
#include "messages/text.hpp"
#include "providers/gym/chat_rules.hpp"
#include "providers/openai_chat/format.hpp"
#include "providers/openai_chat/request.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::providers::openai_chat {

BOOST_AUTO_TEST_SUITE(chat_request)

namespace {

message user(std::string text) {
  return {"user", {text_part{std::move(text)}}, {}, std::nullopt, std::nullopt};
}
message system(std::string text) {
  return {"system", {text_part{std::move(text)}}, {}, std::nullopt, std::nullopt};
}
message answer(std::vector<block> blocks) {
  return {"assistant", {}, std::move(blocks), std::nullopt, std::nullopt};
}
message result_of(std::string id, std::string text) {
  return {"tool", {text_part{std::move(text)}}, {}, std::move(id), false};
}
tool_call_block call(std::string id, std::string name, std::string arguments) {
  return {std::move(id), std::move(name), json::raw{std::move(arguments)}, std::nullopt};
}

inference_request request_of(std::vector<message> messages) {
  inference_request request;
  request.model = "gpt-test";
  request.messages = std::move(messages);
  return request;
}

// The gym refuses what the service would; a body that it takes is the proof.
std::string body_of(const inference_request& request) {
  auto body = write_body(request).value();
  auto read = gym::read_chat_request(body);
  if (auto* refused = std::get_if<gym::service_error>(&read))
    BOOST_TEST(false, refused->message + "\n" + body);
  return body;
}

std::string messages_of(std::vector<message> messages) {
  auto body = body_of(request_of(std::move(messages)));
  return std::string(json::parse(body).value().find("messages")->source());
}

} // namespace

BOOST_AUTO_TEST_CASE(a_whole_request) {
  auto request = request_of({user("Is pump 7 running?")});
  request.instructions = "You run harbour pumps.";
  request.tools = {
      {"pump_status", "Read one pump.", {R"({"type":"object","properties":{"pump":{"type":"integer"}}})"}},
      {"stop", "", {}}};
  request.max_output_tokens = 2048;
  request.effort = "high";
  request.service_tier = "flex";
  request.temperature = 0.5;
  BOOST_TEST(body_of(request)
      == R"({"model":"gpt-test","messages":[{"role":"system","content":"You run harbour pumps."},{"role":"user","content":"Is pump 7 running?"}],)"
         R"("tools":[{"type":"function","function":{"name":"pump_status","description":"Read one pump.","parameters":{"type":"object","properties":{"pump":{"type":"integer"}}}}},{"type":"function","function":{"name":"stop","parameters":{"type":"object","properties":{}}}}],)"
         R"("stream":true,"stream_options":{"include_usage":true},"max_completion_tokens":2048,"reasoning_effort":"high","service_tier":"flex"})");
}

BOOST_AUTO_TEST_CASE(the_least_request) {
  auto request = request_of({user("hi")});
  request.temperature = 0.5;
  BOOST_TEST(body_of(request)
      == R"({"model":"gpt-test","messages":[{"role":"user","content":"hi"}],"stream":true,"stream_options":{"include_usage":true},"temperature":0.5})");
  request.effort = "off";
  BOOST_TEST(body_of(request).find(R"("reasoning_effort":"none","temperature":0.5)") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(results_of_a_batch_follow_their_answer_and_what_the_user_said_then_comes_after) {
  BOOST_TEST(messages_of({user("go"),
                 answer({thinking_block{"hm", "sig", std::nullopt}, text_block{"Looking."},
                     call("a", "x", R"({"n":1})"), call("b", "y", "{}")}),
                 result_of("a", "one"), result_of("b", ""), user("and now?")})
      == R"([{"role":"user","content":"go"},)"
         R"({"role":"assistant","content":"Looking.","tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{\"n\":1}"}},{"id":"b","type":"function","function":{"name":"y","arguments":"{}"}}]},)"
         R"({"role":"tool","tool_call_id":"a","content":"one"},{"role":"tool","tool_call_id":"b","content":""},{"role":"user","content":"and now?"}])");
}

BOOST_AUTO_TEST_CASE(system_messages_and_other_roles_go_as_user_text) {
  BOOST_TEST(messages_of({user("a"), system("be brief"),
                 message{"custom:note", {text_part{"n"}}, {}, std::nullopt, std::nullopt}})
      == R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"<system>be brief</system>"},{"type":"text","text":"n"}]}])");
  // between a call and its result it still comes after the result
  auto between = messages_of({user("a"), answer({call("c", "x", "{}")}), system("s"), result_of("c", "r")});
  BOOST_TEST(between.find(R"("role":"tool")") < between.find("<system>"));
}

BOOST_AUTO_TEST_CASE(nothing_empty_is_sent_and_neighbours_are_merged) {
  BOOST_TEST(messages_of({user(""), user("a"),
                 answer({text_block{" \n"}, thinking_block{"cut there", std::nullopt, std::nullopt}}),
                 user("b"), answer({text_block{""}, text_block{"x"}})})
      == R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"role":"assistant","content":"x"}])");
  BOOST_TEST(messages_of({user("a"), answer({call("c", "x", "{}")}), result_of("c", "r")})
                 .find(R"("content":null,"tool_calls")")
      != std::string::npos);
  BOOST_TEST((write_body(request_of({user("")})).error().code == problem_code::invalid_input));
  BOOST_TEST((write_body(request_of({})).error().code == problem_code::invalid_input));
}

// B-063, B-067: the format has no words for another's thinking, nor for what another ran itself.
BOOST_AUTO_TEST_CASE(what_another_provider_thought_or_ran_is_left_out) {
  BOOST_TEST(
      messages_of({user("a"),
          answer({thinking_block{"", "data", true},
              server_tool_call_block{{R"({"provider_type":"server_tool_use","id":"s"})"}},
              server_tool_result_block{{R"({"provider_type":"web_search_tool_result"})"}}, text_block{"x"}})})
      == R"([{"role":"user","content":"a"},{"role":"assistant","content":"x"}])");
}

BOOST_AUTO_TEST_CASE(a_call_under_a_name_or_an_id_that_the_service_does_not_take_spoils_no_later_request) {
  for (const std::string& name :
      {std::string("shell; rm"), std::string(300, 'x'), std::string("\x1b[31m"), std::string()})
    messages_of({user("Go"), answer({call("c", name, "{}")}), result_of("c", "Tool is not available.")});
  std::string near(60, 'i');
  auto first = near + "1", second = near + "2";
  auto sent = messages_of({user("Go"), answer({call(first, "x", "{}"), call(second, "x", "{}")}),
      result_of(first, "one"), result_of(second, "two")});
  BOOST_TEST(sent.find(near) == std::string::npos);
}

BOOST_AUTO_TEST_CASE(broken_arguments_are_shown_within_an_object) {
  auto sent = messages_of({user("a"),
      answer({tool_call_block{"c", "x", std::nullopt, large_text(R"({"n":)")},
          tool_call_block{
              "d", "x", std::nullopt, large_text(R"({"n":1,"n":123456789012345678901234567890})")}}),
      result_of("c", "no"), result_of("d", "no")});
  BOOST_TEST(sent.find(R"("arguments":"{\"arguments_raw\":\"{\\\"n\\\":\"}")") != std::string::npos, sent);
  BOOST_TEST(
      sent.find(R"("arguments":"{\"n\":1,\"n\":123456789012345678901234567890}")") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(pictures_and_documents) {
  message picture{"user",
      {image_part{"image/jpeg", large_text("aGk="), std::nullopt},
          image_part{std::nullopt, std::nullopt, "https://example.com/a.png"},
          document_part{"application/pdf", large_text("aGk="), std::nullopt, "a.pdf"},
          document_part{std::nullopt, std::nullopt, "https://example.com/b.pdf", std::nullopt}},
      {}, std::nullopt, std::nullopt};
  BOOST_TEST(messages_of({picture})
      == R"([{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,aGk="}},{"type":"image_url","image_url":{"url":"https://example.com/a.png"}},{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,aGk="}},{"type":"text","text":"<system>A document that isn't shown here: https://example.com/b.pdf</system>"}]}])");
}

BOOST_AUTO_TEST_CASE(pictures_of_a_result_follow_the_last_result) {
  message shot{
      "tool", {text_part{"done"}, image_part{"image/png", large_text("aGk="), std::nullopt}}, {}, "a", false};
  BOOST_TEST(
      messages_of(
          {user("go"), answer({call("a", "x", "{}"), call("b", "x", "{}")}), shot, result_of("b", "two")})
          .ends_with(
              R"({"role":"tool","tool_call_id":"a","content":"done"},{"role":"tool","tool_call_id":"b","content":"two"},{"role":"user","content":[{"type":"text","text":"<system>The result of a holds this:</system>"},{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]}])"));
}

// B-074: what a strict parser would refuse never gets into a body.
BOOST_AUTO_TEST_CASE(a_lone_surrogate_in_a_result_is_replaced_and_a_pair_is_kept) {
  auto lone = json::parse(R"("x\ud83d, \udc00y, \ud83d\ude42")").value().as_string();
  auto body = body_of(request_of({user("go"), answer({call("a", "x", "{}")}), result_of("a", lone)}));
  BOOST_TEST(is_utf8(body));
  BOOST_TEST(body.find("x\xEF\xBF\xBD, \xEF\xBF\xBDy, 🙂") != std::string::npos, body);
}

BOOST_AUTO_TEST_CASE(content_that_is_not_at_hand_is_a_fault) {
  message missing{
      "user", {text_part{large_text::reference({"sha256:00", 9000})}}, {}, std::nullopt, std::nullopt};
  auto written = write_body(request_of({missing}));
  BOOST_TEST((written.error().code == problem_code::internal));
  BOOST_TEST(written.error().detail.find("sha256:00") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(durations_as_the_limits_have_them) {
  BOOST_TEST(parse_duration("12ms").value() == 12);
  BOOST_TEST(parse_duration("1s").value() == 1000);
  BOOST_TEST(parse_duration("6m0s").value() == 360'000);
  BOOST_TEST(parse_duration("1h2m3.5s").value() == 3'723'500);
  for (std::string wrong : {"", "5", "1d", "s", "-1s", "1764460000", "2999-01-01T00:00:00Z", "999999h"})
    BOOST_TEST(!parse_duration(wrong).has_value(), wrong);
}

BOOST_AUTO_TEST_CASE(error_documents) {
  format wire;
  auto read = [&](int status, const std::string& body, std::vector<http_field> fields = {}) {
    return wire.read_error({status, {}, {}, std::move(fields)}, body);
  };
  auto limited = read(429,
      R"({"error":{"message":"Rate limit reached","type":"tokens","param":null,"code":"rate_limit_exceeded"}})",
      {{"x-ratelimit-remaining-tokens", "0"}, {"x-ratelimit-reset-tokens", "6m0s"},
          {"x-ratelimit-remaining-requests", "7"}, {"x-ratelimit-reset-requests", "1h"}});
  BOOST_TEST(limited.error.code == "rate_limit");
  BOOST_TEST(limited.error.retryable);
  BOOST_TEST(limited.error.message == "rate_limit_exceeded: Rate limit reached");
  BOOST_TEST(limited.retry_after_ms.value() == 360'000);
  BOOST_TEST(read(429, "", {{"retry-after", "2"}}).retry_after_ms.value() == 2000);
  auto spent =
      read(429, R"({"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}})");
  BOOST_TEST(spent.error.code == "quota");
  BOOST_TEST(!spent.error.retryable);
  BOOST_TEST(
      read(
          400, R"({"error":{"message":"m","type":"invalid_request_error","code":"context_length_exceeded"}})")
          .error.code
      == "context_overflow");
  BOOST_TEST(
      read(400,
          R"({"error":{"code":400,"message":"the request exceeds","type":"exceed_context_size_error","n_ctx":4096}})")
          .error.code
      == "context_overflow");
  BOOST_TEST(
      read(400,
          R"({"object":"error","message":"This model's maximum context length is 4096 tokens","code":400})")
          .error.code
      == "context_overflow");
  BOOST_TEST(
      read(404,
          R"({"error":{"message":"no such model","type":"invalid_request_error","code":"model_not_found"}})")
          .error.code
      == "invalid_request");
  auto loading = read(503, R"({"error":{"message":"Loading model","type":"unavailable_error","code":503}})");
  BOOST_TEST(loading.error.code == "api_5xx");
  BOOST_TEST(loading.error.retryable);
  BOOST_TEST(read(422, R"({"detail":"field required"})").error.message == "field required");
  BOOST_TEST(read(400, R"({"error":"just words"})").error.message == "just words");
  auto page = read(502, "<html>Bad Gateway</html>");
  BOOST_TEST(page.error.retryable);
  BOOST_TEST(page.error.message.find("<html>") != std::string::npos);
  BOOST_TEST(read(401, "").error.message == "no explanation given");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers::openai_chat
