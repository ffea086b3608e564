// The gym over real sockets, asked through the HTTP provider.
#include "providers/anthropic/format.hpp"
#include "providers/gym/server.hpp"
#include "tests/providers/collector.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::providers {

using namespace testing;

BOOST_AUTO_TEST_SUITE(gym_end_to_end)

namespace {

struct gym_and_provider {
  explicit gym_and_provider(
      std::string_view rules = {}, std::function<void(http_provider_settings&)> tune = {}) {
    gym::server_settings wanted;
    if (!rules.empty())
      wanted.rules = gym::script::parse(rules).value();
    server = std::move(gym::server::start(std::move(wanted)).value());
    http_provider_settings settings;
    settings.name = "gym";
    settings.base_url = server->base_url();
    if (tune)
      tune(settings);
    provider = anthropic::make_provider(std::move(settings));
  }
  attempt_finished run(collector& into, inference_request request) {
    into.follow(provider->start(std::move(request), into.sink()));
    return into.finished();
  }
  std::unique_ptr<gym::server> server;
  std::unique_ptr<providers::provider> provider;
};

std::string call_id_of(const block& one) { return std::get<tool_call_block>(one).call_id; }

} // namespace

BOOST_AUTO_TEST_CASE(a_scripted_answer_comes_whole) {
  collector got;
  gym_and_provider pair(
      R"({"reply":[{"thinking":"hm, let me see"},{"text":"The tide is höher now."},{"call":{"name":"pump","arguments":{"n":7}}}]})");
  auto end = pair.run(got, ask("hello"));
  BOOST_TEST((end.state == inference_state::completed));
  BOOST_TEST(end.stop.value() == "tool_use");
  auto blocks = got.blocks();
  BOOST_REQUIRE_EQUAL(blocks.size(), 3U);
  BOOST_TEST(std::get<thinking_block>(blocks[0]).text.text == "hm, let me see");
  BOOST_TEST(std::get<thinking_block>(blocks[0]).signature.has_value());
  BOOST_TEST(std::get<text_block>(blocks[1]).text.text == "The tide is höher now.");
  BOOST_TEST(std::get<tool_call_block>(blocks[2]).arguments->text == R"({"n":7})");
  BOOST_TEST(got.text() == "The tide is höher now.");
  BOOST_TEST(end.usage.output_tokens.value() > 1);
  BOOST_TEST(end.response_id.value() == "msg_gym_1");
}

BOOST_AUTO_TEST_CASE(a_held_stream_goes_on_when_it_is_released) {
  collector got;
  gym_and_provider pair(R"({"reply":[{"text":"before "},{"hold":"gate"},{"text":"after"}]})");
  got.follow(pair.provider->start(ask("hello"), got.sink()));
  BOOST_TEST(pair.server->wait_until_held("gate", patience));
  BOOST_TEST(got.wait_for_text(7));
  BOOST_TEST(got.ends() == 0U);
  BOOST_TEST(pair.server->release("gate") == 1U);
  BOOST_TEST((got.finished().state == inference_state::completed));
  BOOST_TEST(got.text() == "before after");
}

BOOST_AUTO_TEST_CASE(a_release_that_comes_first_is_remembered) {
  collector got;
  gym_and_provider pair(R"({"reply":[{"hold":"gate"},{"text":"after"}]})");
  BOOST_TEST(pair.server->release("gate") == 0U);
  BOOST_TEST((pair.run(got, ask("hello")).state == inference_state::completed));
}

BOOST_AUTO_TEST_CASE(cancel_ends_a_held_stream_at_once_and_closes_its_connection) {
  collector got;
  gym_and_provider pair(R"({"reply":[{"text":"before "},{"hold":"gate"},{"text":"after"}]})");
  auto attempt = pair.provider->start(ask("hello"), got.sink());
  got.follow(attempt);
  BOOST_TEST(got.wait_for_text(7));
  auto begun = std::chrono::steady_clock::now();
  attempt->cancel();
  auto end = got.finished();
  BOOST_TEST((std::chrono::steady_clock::now() - begun < std::chrono::seconds(2)));
  BOOST_TEST((end.state == inference_state::cancelled));
  BOOST_TEST(!end.error.has_value());
  BOOST_TEST(end.usage.input_tokens.has_value());
  attempt->cancel();
  attempt->acknowledge(1);
  BOOST_TEST(got.ends() == 1U);
  BOOST_TEST(pair.server->release("gate") <= 1U);
}

BOOST_AUTO_TEST_CASE(errors_of_the_service_become_failures) {
  gym_and_provider pair(R"({"when":{"last_user_contains":"busy"},"reply":[{"http_error":{"status":529}}]}
{"when":{"last_user_contains":"slow down"},"reply":[{"http_error":{"status":429,"retry_after":12}}]}
{"when":{"last_user_contains":"no"},"reply":[{"http_error":{"status":401,"message":"bad key"}}]}
{"when":{"last_user_contains":"break"},"reply":[{"text":"The tide"},{"stream_error":{"type":"overloaded_error","message":"Overloaded"}}]}
{"when":{"last_user_contains":"leave"},"reply":[{"text":"The tide"},{"disconnect":true}]}
{"when":{"last_user_contains":"vanish"},"reply":[{"disconnect":true}]}
{"when":{"last_user_contains":"babble"},"reply":[{"text":"ok"},{"garbage":"data: {oops\n\n"}]}
{"when":{"last_user_contains":"endless"},"reply":[{"text":"ok"},{"stop":null}]})");
  auto fails = [&](std::string prompt, std::string code, bool retryable, std::string_view words) {
    collector got;
    auto end = pair.run(got, ask(prompt));
    BOOST_TEST_CONTEXT(prompt) {
      BOOST_TEST((end.state == inference_state::error));
      BOOST_REQUIRE(end.error.has_value());
      BOOST_TEST(end.error->code == code);
      BOOST_TEST(end.error->retryable == retryable);
      BOOST_TEST(end.error->message.find(words) != std::string::npos, end.error->message);
      BOOST_TEST(got.ends() == 1U);
    }
    return end;
  };
  BOOST_TEST(fails("busy", "overloaded", true, "529").error->status.value() == 529);
  BOOST_TEST(fails("slow down", "rate_limit", true, "429").retry_after_ms.value() == 12000);
  fails("no", "invalid_request", false, "bad key");
  fails("break", "overloaded", true, "Overloaded");
  fails("leave", "network", true, "broke off");
  fails("vanish", "network", true, "without an answer");
  fails("babble", "invalid_request", false, "{oops");
  fails("endless", "invalid_request", false, "provider stream ended without a stop event");
  fails("strange request", "invalid_request", false, "no rule of the gym's script matches");
}

BOOST_AUTO_TEST_CASE(rules_see_the_inference_and_the_results_and_are_used_up) {
  gym_and_provider pair(R"({"when":{"has_tool_result":true},"reply":[{"text":"it says so"}]}
{"when":{"inference":1,"model":"claude-test-1"},"times":1,"reply":[{"call":{"name":"pump","arguments":{}}}]}
{"reply":[{"text":"else"}]})");
  collector first;
  BOOST_TEST(pair.run(first, ask("go")).stop.value() == "tool_use");
  auto next = ask("go");
  next.messages.push_back({"assistant", {}, first.blocks(), std::nullopt, std::nullopt});
  next.messages.push_back({"tool", {text_part{"7 rpm"}}, {}, call_id_of(first.blocks()[0]), false});
  collector second;
  BOOST_TEST(pair.run(second, next).stop.value() == "end_turn");
  BOOST_TEST(second.text() == "it says so");
  collector third;
  pair.run(third, ask("go"));
  BOOST_TEST(third.text() == "else");
  BOOST_TEST(pair.server->requests().find("7 rpm") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(many_streams_at_once_use_their_connections_again) {
  constexpr int streams = 200;
  gym_and_provider pair(
      R"({"reply":[{"text":"one two three four"}]})", [](auto& settings) { settings.max_concurrent = 8; });
  std::vector<std::unique_ptr<collector>> all;
  for (int i = 0; i < streams; ++i) {
    all.push_back(std::make_unique<collector>());
    all.back()->follow(pair.provider->start(ask("go"), all.back()->sink()));
  }
  for (auto& one : all) {
    BOOST_TEST((one->finished().state == inference_state::completed));
    BOOST_TEST(one->text() == "one two three four");
  }
  BOOST_TEST(pair.server->connections() <= 8U);
}

BOOST_AUTO_TEST_CASE(a_provider_that_goes_away_cancels_what_is_under_way) {
  collector got;
  gym_and_provider pair(R"({"reply":[{"text":"before "},{"hold":"gate"}]})");
  auto attempt = pair.provider->start(ask("hello"), got.sink());
  got.follow(attempt);
  BOOST_TEST(got.wait_for_text(7));
  pair.provider.reset();
  BOOST_TEST((got.finished().state == inference_state::cancelled));
  attempt->acknowledge(3);
  attempt->cancel();
  BOOST_TEST(got.ends() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers
