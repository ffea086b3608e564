// The Messages request: golden bodies, and the rules that every context must keep.
#include "providers/anthropic/format.hpp"
#include "providers/anthropic/request.hpp"
#include "providers/gym/messages_rules.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::providers::anthropic {

BOOST_AUTO_TEST_SUITE(anthropic_request)

namespace {

message user(std::string text) {
  return {"user", {text_part{std::move(text)}}, {}, std::nullopt, std::nullopt};
}
message answer(std::vector<block> blocks) {
  return {"assistant", {}, std::move(blocks), std::nullopt, std::nullopt};
}
message result_of(std::string id, std::string text, bool error = false) {
  return {"tool", {text_part{std::move(text)}}, {}, std::move(id), error};
}
tool_call_block call(std::string id, std::string name, std::string arguments) {
  return {std::move(id), std::move(name), json::raw{std::move(arguments)}, std::nullopt};
}

inference_request request_of(std::vector<message> messages) {
  inference_request request;
  request.model = "claude-test-1";
  request.messages = std::move(messages);
  return request;
}

std::string body_of(const inference_request& request) {
  auto body = write_body(request).value();
  auto read = gym::read_messages_request(body);
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
      {"pump_status", "Read one pump.", {R"({"type":"object","properties":{"pump":{"type":"integer"}}})"}}};
  request.max_output_tokens = 2048;
  request.effort = "high";
  request.service_tier = "auto";
  request.temperature = 0.5;
  BOOST_TEST(body_of(request)
      == R"({"model":"claude-test-1","max_tokens":2048,"stream":true,)"
         R"("system":[{"type":"text","text":"You run harbour pumps.","cache_control":{"type":"ephemeral"}}],)"
         R"("tools":[{"name":"pump_status","description":"Read one pump.","input_schema":{"type":"object","properties":{"pump":{"type":"integer"}}}}],)"
         R"("messages":[{"role":"user","content":[{"type":"text","text":"Is pump 7 running?","cache_control":{"type":"ephemeral"}}]}],)"
         R"("thinking":{"type":"adaptive"},"output_config":{"effort":"high"},"service_tier":"auto"})");
}

BOOST_AUTO_TEST_CASE(the_least_request) {
  auto request = request_of({user("hi")});
  request.temperature = 0.5;
  BOOST_TEST(body_of(request)
      == R"({"model":"claude-test-1","max_tokens":8192,"stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}],"temperature":0.5})");
  request.effort = "off";
  BOOST_TEST(body_of(request).find(R"("thinking":{"type":"disabled"},"temperature")") != std::string::npos);
  request.effort = "minimal";
  BOOST_TEST(body_of(request).find(R"("effort":"low")") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_budget_is_thought_with_beside_the_room_of_the_answer) {
  auto request = request_of({user("hi")});
  request.effort = "high";
  request.thinking_budget = 16384;
  request.max_output_tokens = 100;
  request.temperature = 0.5;
  const auto body = body_of(request);
  BOOST_TEST(body.find(R"("max_tokens":16484,)") != std::string::npos, body);
  BOOST_TEST(body.find(R"("thinking":{"type":"enabled","budget_tokens":16384}})") != std::string::npos, body);
}

BOOST_AUTO_TEST_CASE(thinking_begins_in_no_round_of_tools_that_began_without) {
  const auto thinks = [](std::vector<message> messages) {
    auto request = request_of(std::move(messages));
    request.effort = "high";
    request.thinking_budget = 2048;
    return body_of(request).find(R"("type":"enabled")") != std::string::npos;
  };
  const thinking_block thought{"hm", "sig", std::nullopt};
  const std::vector<message> with{user("go"), answer({thought, call("a", "x", "{}")}), result_of("a", "1")};
  const std::vector<message> without{user("go"), answer({call("a", "x", "{}")}), result_of("a", "1")};
  const std::vector<message> more{answer({call("b", "x", "{}")}), result_of("b", "2")};
  const auto joined = [](std::vector<message> left, const std::vector<message>& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
  };
  BOOST_TEST(thinks(with));
  BOOST_TEST(thinks(joined(with, more))); // one round thinks once, at its beginning
  BOOST_TEST(!thinks(without));
  BOOST_TEST(!thinks(joined(without, more)));
  BOOST_TEST(thinks(joined(without, {answer({text_block{"Done."}}), user("again")}))); // that round is over
  BOOST_TEST(!thinks({answer({call("a", "x", "{}")}), result_of("a", "1")})); // what was before was left out
}

BOOST_AUTO_TEST_CASE(results_of_a_batch_stand_first_in_one_message) {
  BOOST_TEST(messages_of({user("go"),
                 answer({thinking_block{"hm", "sig", std::nullopt}, text_block{"Looking."},
                     call("a", "x", R"({"n":1})"), call("b", "y", "{}")}),
                 result_of("a", "one"), result_of("b", "bad", true), user("and now?")})
      == R"([{"role":"user","content":[{"type":"text","text":"go"}]},)"
         R"({"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"text","text":"Looking."},{"type":"tool_use","id":"a","name":"x","input":{"n":1}},{"type":"tool_use","id":"b","name":"y","input":{}}]},)"
         R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"one"}]},{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"bad"}],"is_error":true},)"
         R"({"type":"text","text":"and now?","cache_control":{"type":"ephemeral"}}]}])");
}

BOOST_AUTO_TEST_CASE(system_messages_and_other_roles_go_as_user_text) {
  BOOST_TEST(
      messages_of({user("a"), message{"system", {text_part{"be brief"}}, {}, std::nullopt, std::nullopt},
          message{"custom:note", {text_part{"n"}}, {}, std::nullopt, std::nullopt}})
      == R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"<system>be brief</system>"},{"type":"text","text":"n","cache_control":{"type":"ephemeral"}}]}])");
  // between a call and its result it still comes after the result
  auto between = messages_of({user("a"), answer({call("c", "x", "{}")}),
      message{"system", {text_part{"s"}}, {}, std::nullopt, std::nullopt}, result_of("c", "r")});
  BOOST_TEST(between.find("tool_result") < between.find("<system>"));
}

BOOST_AUTO_TEST_CASE(nothing_empty_is_sent) {
  BOOST_TEST(messages_of({user(""), user("a"), answer({text_block{""}}), user(" \n"), user("b"),
                 answer({text_block{""}, text_block{"x"}})})
      == R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"role":"assistant","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}])");
  BOOST_TEST(messages_of({user("a"), answer({call("c", "x", "{}")}), result_of("c", "")})
                 .find(R"({"type":"tool_result","tool_use_id":"c","cache_control")")
      != std::string::npos);
  BOOST_TEST((write_body(request_of({user("")})).error().code == problem_code::invalid_input));
  BOOST_TEST((write_body(request_of({})).error().code == problem_code::invalid_input));
}

// B-066: thinking whose text is empty goes back as it came, with its signature.
BOOST_AUTO_TEST_CASE(thinking_is_replayed_only_as_the_service_takes_it) {
  BOOST_TEST(
      messages_of({user("a"),
                      answer({thinking_block{"unsigned", std::nullopt, std::nullopt},
                          thinking_block{"", "sig", std::nullopt}, thinking_block{"", "data", true},
                          text_block{"x"}})})
          .find(
              R"("content":[{"type":"thinking","thinking":"","signature":"sig"},{"type":"redacted_thinking","data":"data"},{"type":"text","text":"x")")
      != std::string::npos);
  BOOST_TEST(messages_of({user("a"), answer({thinking_block{"cut there", "sig", std::nullopt}}), user("b")})
      == R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}]}])");
}

// The gym refuses what the service would; a body that it takes is the proof.
BOOST_AUTO_TEST_CASE(a_call_under_a_name_that_no_service_takes_spoils_no_later_request) {
  for (const std::string& name :
      {std::string("shell; rm"), std::string(300, 'x'), std::string("\x1b[31m"), std::string()}) {
    const auto body = messages_of(
        {user("Go"), answer({call("c", name, "{}")}), result_of("c", "Tool is not available.", true)});
    BOOST_TEST(body.find("shell; rm") == std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(broken_arguments_and_a_servers_blocks) {
  tool_call_block broken{"c", "x", std::nullopt, large_text(R"({"n":)")};
  auto sent = messages_of({user("a"),
      answer({server_tool_call_block{
                  {R"({"provider_type":"server_tool_use","id":"s","name":"web_search","input":{}})"}},
          server_tool_result_block{
              {R"({"provider_type":"web_search_tool_result","tool_use_id":"s","content":[]})"}},
          broken}),
      result_of("c", "no")});
  BOOST_TEST(
      sent.find(
          R"({"type":"server_tool_use","id":"s","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"s","content":[]})")
      != std::string::npos);
  BOOST_TEST(sent.find(R"("input":{"arguments_raw":"{\"n\":"}})") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(pictures_documents_and_a_first_word_of_the_assistant) {
  message picture{"user",
      {image_part{"image/png", large_text("aGk="), std::nullopt},
          image_part{std::nullopt, std::nullopt, "https://example.com/a.png"},
          document_part{"application/pdf", large_text("aGk="), std::nullopt, "a.pdf"}},
      {}, std::nullopt, std::nullopt};
  BOOST_TEST(messages_of({picture})
      == R"([{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}},{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"aGk="},"title":"a.pdf","cache_control":{"type":"ephemeral"}}]}])");
  BOOST_TEST(messages_of({answer({text_block{"x"}}), user("b")}).find("The conversation goes on from here.")
      != std::string::npos);
}

BOOST_AUTO_TEST_CASE(content_that_is_not_at_hand_is_a_fault) {
  message missing{
      "user", {text_part{large_text::reference({"sha256:00", 9000})}}, {}, std::nullopt, std::nullopt};
  auto written = write_body(request_of({missing}));
  BOOST_TEST((written.error().code == problem_code::internal));
  BOOST_TEST(written.error().detail.find("sha256:00") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(error_documents) {
  format wire;
  auto limited = wire.read_error({429, {}, {}, {{"retry-after", "12"}}},
      R"({"type":"error","error":{"type":"rate_limit_error","message":"too many input tokens"},"request_id":"req_t_0003"})");
  BOOST_TEST(limited.error.code == "rate_limit");
  BOOST_TEST(limited.error.retryable);
  BOOST_TEST(limited.retry_after_ms.value() == 12000);
  auto reset = wire.read_error({429, {}, {},
                                   {{"anthropic-ratelimit-tokens-remaining", "0"},
                                       {"anthropic-ratelimit-tokens-reset", "2999-01-01T00:00:00Z"},
                                       {"anthropic-ratelimit-requests-reset", "3999-01-01T00:00:00Z"}}},
      "");
  BOOST_TEST(reset.retry_after_ms.value() > 60'000);
  BOOST_TEST(reset.retry_after_ms.value() < 32'503'680'000'000);
  auto spent = wire.read_error({429, {}, {}, {}},
      R"({"error":{"type":"rate_limit_error","message":"m","details":{"error_code":"enforced_spend_limit_reached"}}})");
  BOOST_TEST(spent.error.code == "quota");
  BOOST_TEST(!spent.error.retryable);
  auto full = wire.read_error({400, {}, {}, {}},
      R"({"error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}})");
  BOOST_TEST(full.error.code == "context_overflow");
  auto page = wire.read_error({502, {}, {}, {}}, "<html>Bad Gateway</html>");
  BOOST_TEST(page.error.code == "api_5xx");
  BOOST_TEST(page.error.retryable);
  BOOST_TEST(page.error.message.find("<html>") != std::string::npos);
  BOOST_TEST(
      wire.read_error({404, {}, {}, {}}, R"({"error":{"type":"not_found_error","message":"model: x"}})")
          .error.code
      == "invalid_request");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers::anthropic
