// The second opinion itself: each invariant is broken on purpose and must be seen.
#include "tests/support/log_rules.hpp"
#include "tests/support/logs.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(log_rules)

namespace {

std::vector<event> log_named(const std::string& name) {
  for (const auto& log : testing::worked_logs())
    if (log.name == name)
      return log.events;
  throw std::runtime_error("no worked log " + name);
}

void renumber(std::vector<event>& log) {
  for (std::size_t i = 0; i < log.size(); ++i)
    log[i].seq = static_cast<std::int64_t>(i) + 1;
}

template <class T> std::size_t place_of(const std::vector<event>& log, std::size_t nth = 0) {
  for (std::size_t i = 0; i < log.size(); ++i)
    if (std::holds_alternative<T>(log[i].data) && nth-- == 0)
      return i;
  throw std::runtime_error("no such event");
}

using fault = std::function<void(std::vector<event>&)>;

void is_seen(
    const std::string& invariant, const std::string& name, const fault& break_it, bool renumbered = true) {
  auto log = log_named(name);
  BOOST_REQUIRE(!testing::log_breach(log, {}));
  break_it(log);
  if (renumbered)
    renumber(log);
  const auto breach = testing::log_breach(log, {});
  BOOST_REQUIRE_MESSAGE(breach, "nothing seen in " << name);
  BOOST_TEST(breach->substr(0, invariant.size()) == invariant, *breach);
}

template <class T> fault drop(std::size_t nth = 0) {
  return [nth](auto& log) { log.erase(log.begin() + static_cast<std::ptrdiff_t>(place_of<T>(log, nth))); };
}

template <class T> fault twice(std::size_t nth = 0) {
  return [nth](auto& log) {
    const auto at = log.begin() + static_cast<std::ptrdiff_t>(place_of<T>(log, nth));
    const event copy = *at;
    log.insert(at, copy);
  };
}

} // namespace

BOOST_AUTO_TEST_CASE(a_hole_in_the_log) { is_seen("I-1", "01-simple-turn", drop<turn_started>(), false); }
BOOST_AUTO_TEST_CASE(a_message_consumed_twice) {
  is_seen("I-2", "01-simple-turn", twice<messages_consumed>());
}
BOOST_AUTO_TEST_CASE(a_message_queued_twice) { is_seen("I-2", "01-simple-turn", twice<message_queued>()); }
BOOST_AUTO_TEST_CASE(messages_consumed_out_of_order) {
  is_seen("I-2", "03-steering-and-sends", [](auto& log) {
    std::swap(log[place_of<messages_consumed>(log, 2)].data, log[place_of<messages_consumed>(log, 3)].data);
  });
}
BOOST_AUTO_TEST_CASE(a_message_consumed_within_an_answer) {
  is_seen("I-2: messages are consumed within an answer", "03-steering-and-sends", [](auto& log) {
    std::swap(log[place_of<inference_finished>(log, 1)].data, log[place_of<messages_consumed>(log, 2)].data);
  });
}
BOOST_AUTO_TEST_CASE(a_run_that_never_finishes) { is_seen("I-3", "10-provider-error", drop<run_finished>()); }
BOOST_AUTO_TEST_CASE(a_run_that_finishes_twice) { is_seen("I-3", "01-simple-turn", twice<run_finished>()); }
BOOST_AUTO_TEST_CASE(a_turn_that_never_finishes) { is_seen("I-3", "01-simple-turn", drop<turn_finished>()); }
BOOST_AUTO_TEST_CASE(a_call_without_a_result) { is_seen("I-4", "02-parallel-tools", drop<tool_result>()); }
BOOST_AUTO_TEST_CASE(a_call_with_two_results) { is_seen("I-4", "02-parallel-tools", twice<tool_result>()); }
BOOST_AUTO_TEST_CASE(results_out_of_call_order) {
  is_seen("I-4", "02-parallel-tools", [](auto& log) {
    std::swap(log[place_of<tool_result>(log, 0)].data, log[place_of<tool_result>(log, 1)].data);
  });
}
BOOST_AUTO_TEST_CASE(a_failed_answer_whose_call_is_left_open) {
  is_seen("I-4", "10-provider-error", drop<tool_result>());
}
BOOST_AUTO_TEST_CASE(a_tool_that_runs_again_without_a_verdict) {
  is_seen("I-5", "08-uncertain-tool", drop<tool_resolved>());
}
BOOST_AUTO_TEST_CASE(a_second_receipt) { is_seen("I-5", "02-parallel-tools", twice<tool_receipt>()); }
BOOST_AUTO_TEST_CASE(a_receipt_of_an_attempt_that_never_started) {
  is_seen("I-5", "02-parallel-tools", drop<tool_started>());
}
BOOST_AUTO_TEST_CASE(a_decision_taken_twice) {
  is_seen("I-6", "06-permission-over-restart", twice<permission_decided>());
}
BOOST_AUTO_TEST_CASE(a_verdict_on_nothing) { is_seen("I-6", "08-uncertain-tool", drop<tool_uncertain>()); }
BOOST_AUTO_TEST_CASE(calls_run_without_a_durable_stop) {
  is_seen("I-7", "02-parallel-tools", [](auto& log) {
    std::get<inference_finished>(log[place_of<inference_finished>(log)].data).stop = "max_tokens";
  });
}
BOOST_AUTO_TEST_CASE(a_context_that_isnt_its_digest) {
  is_seen("I-9", "01-simple-turn", [](auto& log) {
    std::get<message_queued>(log[place_of<message_queued>(log)].data).content = content("Something else");
  });
}
BOOST_AUTO_TEST_CASE(a_tool_that_starts_after_the_abort) {
  is_seen("D-24", "09-abort-in-a-batch", [](auto& log) {
    auto started = log[place_of<tool_started>(log)];
    log.insert(log.begin() + static_cast<std::ptrdiff_t>(place_of<abort_requested>(log)) + 1, started);
  });
}

BOOST_AUTO_TEST_SUITE_END()
