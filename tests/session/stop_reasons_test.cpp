// What each reason to stop means, with and without calls; what an answer without words leaves behind.
#include "session/project.hpp"
#include "tests/support/log_rules.hpp"
#include "tests/support/world.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using testing::count;
using testing::last;
using testing::world;

BOOST_AUTO_TEST_SUITE(stop_reasons)

namespace {

void send(world& w, const std::string& id) {
  w.apply(accept_message{
      id, delivery::send, content("Hello"), std::nullopt, std::nullopt, std::nullopt, "client"});
  w.settle();
}

/// A session after one answer that stopped so.
world stopped(const std::string& reason, std::vector<block> blocks) {
  world w;
  send(w, "m");
  w.answer(reason, std::move(blocks));
  BOOST_TEST(testing::log_breach(w.log(), world::durable_tools()).value_or("") == "", reason);
  return w;
}

run_outcome outcome_of(const world& w) { return last<run_finished>(w).outcome; }

constexpr const char* every_reason[] = {"end_turn", "stop_sequence", "max_tokens", "tool_use",
    "function_call", "refusal", "content_filter", "context_window", "pause_turn", "error", "brand_new", ""};

} // namespace

BOOST_AUTO_TEST_CASE(without_calls_only_a_plain_end_completes) {
  const std::map<std::string, std::string> errors{{"tool_use", "invalid_request"},
      {"function_call", "invalid_request"}, {"refusal", "invalid_request"},
      {"content_filter", "invalid_request"}, {"context_window", "context_overflow"},
      {"pause_turn", "unknown"}, {"error", "unknown"}, {"brand_new", "unknown"}, {"", "unknown"}};
  for (const std::string reason : every_reason) {
    const auto w = stopped(reason, {text_block{"So far."}});
    const auto outcome = outcome_of(w);
    BOOST_TEST(w.now().context.messages().at(1).role == "assistant", reason); // its text stays
    if (const auto error = errors.find(reason); error != errors.end()) {
      BOOST_TEST((outcome.kind == run_outcome_kind::error), reason);
      BOOST_TEST(outcome.error->code == error->second, reason);
      BOOST_TEST(!outcome.error->retryable, reason);
      BOOST_TEST(count<notice_added>(w) == 1U, reason);
    } else {
      BOOST_TEST(
          (outcome.kind
              == (reason == "max_tokens" ? run_outcome_kind::max_tokens : run_outcome_kind::completed)),
          reason);
      BOOST_TEST(count<notice_added>(w) == 0U, reason);
    }
  }
}

BOOST_AUTO_TEST_CASE(with_calls_only_a_stop_for_tools_runs_them_and_nobody_is_asked_for_the_others) {
  for (const std::string reason : every_reason) {
    const auto w = stopped(reason, {testing::call_of("plain", "a"), testing::call_of("gated", "b")});
    if (reason == "tool_use" || reason == "function_call") {
      BOOST_TEST(count<tool_started>(w) == 1U, reason);
      BOOST_TEST(count<permission_requested>(w) == 1U, reason);
      continue;
    }
    BOOST_TEST(count<tools_requested>(w) == 0U, reason);
    BOOST_TEST(count<permission_requested>(w) == 0U, reason);
    BOOST_TEST(count<tool_result>(w) == 2U, reason); // and yet nothing dangles
    BOOST_TEST(plain_text(*last<tool_result>(w).content)
            == "The response ended before this tool call was dispatched.",
        reason);
    BOOST_TEST((outcome_of(w).kind
                   == (reason == "max_tokens" ? run_outcome_kind::max_tokens : run_outcome_kind::error)),
        reason);
  }
}

BOOST_AUTO_TEST_CASE(an_answer_that_the_limit_cut_off_lets_what_is_queued_come_next) {
  world w;
  send(w, "m1");
  send(w, "m2");
  w.answer("max_tokens", {text_block{"Half"}, testing::call_of("plain", "a")});
  BOOST_TEST(session::status(w.now()) == "running");
  BOOST_TEST(count<messages_consumed>(w) == 2U);
  BOOST_TEST(count<run_finished>(w) == 0U);
}

BOOST_AUTO_TEST_CASE(an_answer_without_blocks_adds_no_message_and_is_not_asked_for_again) {
  world w = stopped("end_turn", {});
  BOOST_TEST(w.now().context.size() == 1U);
  BOOST_TEST((outcome_of(w).kind == run_outcome_kind::completed));
  BOOST_TEST(session::status(w.now()) == "idle");
  send(w, "m2");
  BOOST_TEST(w.now().context.size() == 2U); // two of the user's in a row
  BOOST_TEST(count<inference_started>(w) == 2U);
}

BOOST_AUTO_TEST_CASE(what_the_provider_ran_itself_is_kept_and_never_run_here) {
  const auto w = stopped("end_turn",
      {server_tool_call_block{{R"({"provider_type":"server_tool_use","id":"s","name":"web_search"})"}},
          server_tool_result_block{{R"({"provider_type":"web_search_tool_result","tool_use_id":"s"})"}},
          text_block{"Found."}});
  BOOST_TEST((outcome_of(w).kind == run_outcome_kind::completed));
  BOOST_TEST(count<tools_requested>(w) == 0U);
  BOOST_TEST(count<tool_result>(w) == 0U);
  BOOST_TEST(count<inference_started>(w) == 1U);
  BOOST_TEST(w.now().context.messages().at(1).blocks.size() == 3U);
}

BOOST_AUTO_TEST_SUITE_END()
