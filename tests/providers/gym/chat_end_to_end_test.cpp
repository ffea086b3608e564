// The gym's Chat Completions over real sockets: asked through the provider, and byte by byte.
#include "providers/gym/server.hpp"
#include "providers/http_client.hpp"
#include "providers/openai_chat/format.hpp"
#include "tests/providers/collector.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::providers {

using namespace testing;

BOOST_AUTO_TEST_SUITE(gym_chat)

namespace {

struct gym_and_provider {
  explicit gym_and_provider(std::string_view rules = {}) {
    gym::server_settings wanted;
    if (!rules.empty())
      wanted.rules = gym::script::parse(rules).value();
    server = std::move(gym::server::start(std::move(wanted)).value());
    http_provider_settings settings;
    settings.name = "gym";
    settings.base_url = server->base_url() + "/v1";
    settings.credentials.api_key = secret("sk-test");
    provider = openai_chat::make_provider(std::move(settings));
  }
  attempt_finished run(collector& into, inference_request request) {
    into.follow(provider->start(std::move(request), into.sink()));
    return into.finished();
  }
  std::unique_ptr<gym::server> server;
  std::unique_ptr<providers::provider> provider;
};

/// Reads one answer whole.
class whole_body final : public http_reader {
 public:
  void on_head(const http_head& head) override { head_ = head; }
  http_taken on_body(std::string_view bytes) override {
    body_ += bytes;
    return {};
  }
  void on_end(std::optional<http_failure>) override {
    std::lock_guard guard(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  std::pair<http_head, std::string> wait() {
    std::unique_lock guard(mutex_);
    BOOST_REQUIRE(changed_.wait_for(guard, patience, [&] { return ended_; }));
    return {head_, body_};
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  http_head head_;
  std::string body_;
};

std::pair<http_head, std::string> ask_over(http_client& client, const gym::server& server, std::string method,
    std::string target, std::string body, std::vector<http_field> fields) {
  auto reader = std::make_shared<whole_body>();
  http_request request;
  request.method = std::move(method);
  request.to = {"127.0.0.1", server.port(), false};
  request.target = std::move(target);
  request.fields = std::move(fields);
  request.body = std::move(body);
  client.send(std::move(request), reader);
  return reader->wait();
}

std::pair<http_head, std::string> ask_raw(const gym::server& server, std::string method, std::string target,
    std::string body = "", std::vector<http_field> fields = {{"authorization", "Bearer k"}}) {
  http_client client;
  return ask_over(client, server, std::move(method), std::move(target), std::move(body), std::move(fields));
}

const std::string hello = R"({"model":"m","messages":[{"role":"user","content":"hello"}])";

} // namespace

BOOST_AUTO_TEST_CASE(a_scripted_answer_comes_whole) {
  collector got;
  gym_and_provider pair(
      R"({"reply":[{"thinking":"hm, let me see"},{"text":"The tide is höher now."},{"call":{"name":"pump","arguments":{"n":7}}},{"call":{"name":"pump","arguments":{"n":8}}},{"usage":{"input_tokens":30,"cache_read_input_tokens":10,"output_tokens":5}}]})");
  auto end = pair.run(got, ask("hello"));
  BOOST_TEST((end.state == inference_state::completed));
  BOOST_TEST(end.stop.value() == "tool_use");
  auto blocks = got.blocks();
  BOOST_REQUIRE_EQUAL(blocks.size(), 4U);
  BOOST_TEST(std::get<thinking_block>(blocks[0]).text.text == "hm, let me see");
  BOOST_TEST(std::get<text_block>(blocks[1]).text.text == "The tide is höher now.");
  BOOST_TEST(std::get<tool_call_block>(blocks[2]).arguments->text == R"({"n":7})");
  BOOST_TEST(std::get<tool_call_block>(blocks[3]).call_id == "call_gym_1_2");
  BOOST_TEST(end.usage.input_tokens.value() == 40);
  BOOST_TEST(end.usage.cache_read_tokens.value() == 10);
  BOOST_TEST(end.usage.output_tokens.value() == 5);
  BOOST_TEST(end.response_id.value() == "chatcmpl-gym-1");
}

BOOST_AUTO_TEST_CASE(the_small_model_uses_a_tool_and_reports_its_result) {
  gym_and_provider pair;
  auto request = ask("Add 2 + 3",
      {{"add", "Adds.",
          {R"({"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]})"}}});
  collector first;
  BOOST_TEST(pair.run(first, request).stop.value() == "tool_use");
  auto blocks = first.blocks();
  BOOST_REQUIRE(!blocks.empty());
  const auto& call = std::get<tool_call_block>(blocks.back());
  BOOST_TEST(call.arguments->text == R"({"a":2,"b":3})");
  request.messages.push_back({"assistant", {}, blocks, std::nullopt, std::nullopt});
  request.messages.push_back({"tool", {text_part{"5"}}, {}, call.call_id, false});
  collector second;
  BOOST_TEST(pair.run(second, request).stop.value() == "end_turn");
  BOOST_TEST(second.text().find("Here is what add gave:\n\n5") != std::string::npos, second.text());
}

BOOST_AUTO_TEST_CASE(a_held_stream_goes_on_when_it_is_released) {
  collector got;
  gym_and_provider pair(R"({"reply":[{"text":"before "},{"hold":"gate"},{"text":"after"}]})");
  got.follow(pair.provider->start(ask("hello"), got.sink()));
  BOOST_TEST(got.wait_for_text(7));
  BOOST_TEST(got.ends() == 0U);
  BOOST_TEST(pair.server->wait_until_held("gate", patience));
  pair.server->release("gate");
  BOOST_TEST((got.finished().state == inference_state::completed));
  BOOST_TEST(got.text() == "before after");
}

BOOST_AUTO_TEST_CASE(errors_of_the_service_become_failures) {
  gym_and_provider pair(R"({"when":{"last_user_contains":"busy"},"reply":[{"http_error":{"status":503}}]}
{"when":{"last_user_contains":"slow down"},"reply":[{"http_error":{"status":429,"retry_after":12}}]}
{"when":{"last_user_contains":"spent"},"reply":[{"http_error":{"status":429,"type":"insufficient_quota"}}]}
{"when":{"last_user_contains":"no"},"reply":[{"http_error":{"status":401,"message":"bad key"}}]}
{"when":{"last_user_contains":"break"},"reply":[{"text":"The tide"},{"stream_error":{"type":"server_error","message":"it broke"}}]}
{"when":{"last_user_contains":"leave"},"reply":[{"text":"The tide"},{"disconnect":true}]}
{"when":{"last_user_contains":"babble"},"reply":[{"text":"ok"},{"garbage":"data: {oops\n\n"}]}
{"when":{"last_user_contains":"endless"},"reply":[{"text":"ok"},{"stop":null}]}
{"when":{"last_user_contains":"long"},"reply":[{"text":"ok"},{"stop":"max_tokens"}]})");
  auto fails = [&](std::string prompt, std::string code, bool retryable, std::string_view words) {
    collector got;
    auto end = pair.run(got, ask(prompt));
    BOOST_TEST_CONTEXT(prompt) {
      BOOST_TEST((end.state == inference_state::error));
      BOOST_REQUIRE(end.error.has_value());
      BOOST_TEST(end.error->code == code);
      BOOST_TEST(end.error->retryable == retryable);
      BOOST_TEST(end.error->message.find(words) != std::string::npos, end.error->message);
    }
    return end;
  };
  fails("busy", "api_5xx", true, "503");
  BOOST_TEST(fails("slow down", "rate_limit", true, "rate_limit_exceeded").retry_after_ms.value() == 12000);
  fails("spent", "quota", false, "insufficient_quota");
  fails("no", "invalid_request", false, "bad key");
  fails("break", "api_5xx", true, "it broke");
  fails("leave", "network", true, "broke off");
  fails("babble", "invalid_request", false, "{oops");
  fails("endless", "invalid_request", false, "provider stream ended without a stop event");
  fails("strange request", "invalid_request", false, "no rule of the gym's script matches");
  collector cut;
  BOOST_TEST(pair.run(cut, ask("long")).stop.value() == "max_tokens");
}

BOOST_AUTO_TEST_CASE(an_answer_as_one_object_and_a_stream_without_usage) {
  gym_and_provider pair(R"({"reply":[{"text":"hi"},{"call":{"name":"pump","arguments":{"n":7}}}]})");
  auto [head, body] = ask_raw(*pair.server, "POST", "/v1/chat/completions", hello + "}");
  BOOST_TEST(head.status == 200);
  BOOST_TEST(head.find("x-request-id").has_value());
  auto document = json::parse(body).value();
  BOOST_TEST(document.find("object")->as_string() == "chat.completion");
  const auto& message = *document.find("choices")->items().at(0).find("message");
  BOOST_TEST(message.find("content")->as_string() == "hi");
  BOOST_TEST(message.find("tool_calls")->items().at(0).find("function")->find("arguments")->as_string()
      == R"({"n":7})");
  auto [stream_head, stream] =
      ask_raw(*pair.server, "POST", "/v1/chat/completions", hello + ",\"stream\":true}");
  BOOST_TEST(stream_head.media_type() == "text/event-stream");
  BOOST_TEST(stream.find("usage") == std::string::npos);
  BOOST_TEST(stream.ends_with("data: [DONE]\n\n"));
}

BOOST_AUTO_TEST_CASE(a_stream_after_a_whole_answer_over_the_same_connection_is_only_itself) {
  gym_and_provider pair(R"({"reply":[{"text":"once"}]})");
  http_client client;
  for (std::string target : {"/v1/chat/completions", "/v1/messages"}) {
    auto request = R"({"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hello"}])";
    ask_over(client, *pair.server, "POST", target, request + std::string("}"), {});
    auto [head, stream] =
        ask_over(client, *pair.server, "POST", target, request + std::string(R"(,"stream":true})"), {});
    BOOST_TEST(stream.find("once") == stream.rfind("once"), stream);
    BOOST_TEST(head.status == 200);
  }
  BOOST_TEST(pair.server->connections() == 1U);
}

BOOST_AUTO_TEST_CASE(what_it_does_not_know_is_refused_in_the_words_of_the_service_that_was_meant) {
  gym_and_provider pair;
  auto [head, body] = ask_raw(*pair.server, "POST", "/v1/embeddings");
  BOOST_TEST(head.status == 404);
  BOOST_TEST(body.find(R"({"error":{"message":"Invalid URL (POST /v1/embeddings))") == 0U, body);
  BOOST_TEST(body.find(R"("type":"invalid_request_error","param":null,"code":null)") != std::string::npos);
  auto [get_head, get] = ask_raw(*pair.server, "GET", "/v1/chat/completions");
  BOOST_TEST(get_head.status == 405);
  BOOST_TEST(get.find("method_not_supported") != std::string::npos);
  auto [other_head, other] = ask_raw(*pair.server, "POST", "/v1/complete", "", {{"x-api-key", "k"}});
  BOOST_TEST(other_head.status == 404);
  BOOST_TEST(other.find(R"({"type":"error","error":{"type":"not_found_error")") == 0U, other);
  auto [broken_head, broken] = ask_raw(*pair.server, "POST", "/v1/chat/completions", "{");
  BOOST_TEST(broken_head.status == 400);
  BOOST_TEST(broken.find("could not parse") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_models_are_listed_as_each_service_lists_them) {
  gym_and_provider pair;
  BOOST_TEST(
      ask_raw(*pair.server, "GET", "/v1/models").second.find(R"("object":"list")") != std::string::npos);
  BOOST_TEST(
      ask_raw(*pair.server, "GET", "/v1/models", "", {{"x-api-key", "k"}}).second.find(R"("has_more":false)")
      != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers
