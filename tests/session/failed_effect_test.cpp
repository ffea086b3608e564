// A call that failed and may have had half of its effect: recorded, or a question to a person.
#include "messages/text.hpp"
#include "tests/support/log_rules.hpp"
#include "tests/support/world.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using testing::count;
using testing::last;
using testing::world;

BOOST_AUTO_TEST_SUITE(failed_effect)

namespace {

/// A session that wants to be asked, with calls of these tools under way.
world calling(const std::vector<std::string>& tools, const std::string& on_failed_effect = "ask") {
  options wanted;
  wanted.on_failed_effect = on_failed_effect;
  world w(std::move(wanted));
  w.apply(accept_message{
      "m", delivery::send, content("Do it"), std::nullopt, std::nullopt, std::nullopt, "client"});
  w.settle();
  std::vector<block> calls;
  for (const auto& tool : tools)
    calls.push_back(testing::call_of(tool, "c" + std::to_string(calls.size())));
  w.answer("tool_use", std::move(calls));
  return w;
}

void fail(world& w, std::size_t which, const std::string& text,
    std::optional<error_kind> kind = error_kind::fatal) {
  const auto& call = w.now().calls.at(which);
  w.apply(tool_answer{call.execution_id, call.attempt, tool_outcome::failed, content(text), true, kind,
      std::nullopt, false, std::nullopt});
  w.settle();
}

void judge(world& w, std::size_t which, verdict word, std::optional<content> result = std::nullopt) {
  BOOST_TEST(!w.apply(give_verdict{w.now().calls.at(which).execution_id, word, "user", std::move(result)}));
  w.settle();
}

void ends_well(world& w) {
  w.drive_to_idle();
  const auto breach = testing::log_breach(w.log(), world::durable_tools());
  BOOST_TEST(!breach, breach.value_or(""));
}

std::vector<tool_receipt> receipts(const world& w) {
  std::vector<tool_receipt> all;
  for (const auto& event : w.log())
    if (const auto* const it = std::get_if<tool_receipt>(&event.data))
      all.push_back(*it);
  return all;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_failed_call_waits_for_a_person_and_its_siblings_go_on) {
  world w = calling({"plain", "plain"});
  const auto execution = w.now().calls.at(0).execution_id;
  fail(w, 0, "exit 1");
  BOOST_TEST(last<tool_uncertain>(w).execution_id == execution);
  BOOST_TEST(last<tool_uncertain>(w).reason == "failed");
  BOOST_TEST(last<tool_uncertain>(w).error.value() == "exit 1");
  BOOST_TEST(session::status(w.now()) == "running");
  w.finish_tool(0, false, false);
  BOOST_TEST(receipts(w).size() == 1U);
  BOOST_TEST(session::status(w.now()) == "waiting");
  judge(w, 0, verdict::rerun);
  BOOST_TEST(last<tool_started>(w).execution_id == execution);
  BOOST_TEST(last<tool_started>(w).attempt == 2);
  w.finish_tool(0, false, false);
  BOOST_TEST(count<tool_result>(w) == 2U);
  ends_well(w);
}

BOOST_AUTO_TEST_CASE(a_call_that_fails_again_is_asked_about_again) {
  world w = calling({"plain"});
  for (int attempt = 1; attempt <= 3; ++attempt) {
    fail(w, 0, "exit " + std::to_string(attempt));
    BOOST_TEST(last<tool_uncertain>(w).attempt == attempt);
    judge(w, 0, verdict::rerun);
  }
  BOOST_TEST(receipts(w).empty());
  ends_well(w);
}

BOOST_AUTO_TEST_CASE(an_abandoned_call_shows_what_the_person_says) {
  world w = calling({"plain", "plain"});
  fail(w, 0, "exit 1");
  fail(w, 1, "exit 2");
  judge(w, 0, verdict::abandon);
  judge(w, 1, verdict::abandon, content("I did it by hand"));
  const auto messages = w.now().context.messages();
  BOOST_REQUIRE(messages.size() >= 4U);
  const auto shown = [&](std::size_t at) { return plain_text(content(messages.at(at).parts)); };
  BOOST_TEST(shown(2) == "The tool call was abandoned by a person.");
  BOOST_TEST(messages.at(2).is_error.value());
  BOOST_TEST(shown(3) == "I did it by hand");
  BOOST_TEST(!messages.at(3).is_error.value());
  BOOST_TEST(receipts(w).empty());
  ends_well(w);
}

BOOST_AUTO_TEST_CASE(nobody_is_asked_where_nothing_was_done_or_again_is_harmless_or_nobody_answers) {
  struct row {
    const char* tool;
    std::optional<error_kind> kind;
    const char* wanted;
    bool can_ask;
    bool asked;
  };
  const row rows[] = {
      {"plain", error_kind::fatal, "ask", true, true},
      {"plain", error_kind::transient, "ask", true, true},
      {"plain", error_kind::timeout, "ask", true, true},
      {"plain", std::nullopt, "ask", true, true},
      {"plain", error_kind::precondition, "ask", true, false},
      {"plain", error_kind::invalid_input, "ask", true, false},
      {"keyed", error_kind::fatal, "ask", true, false},
      {"plain", error_kind::fatal, "ask", false, false},
      {"plain", error_kind::fatal, "record", true, false},
  };
  for (const auto& row : rows) {
    world w = calling({row.tool}, row.wanted);
    w.known.can_ask = row.can_ask;
    fail(w, 0, "it went wrong", row.kind);
    BOOST_TEST(count<tool_uncertain>(w) == (row.asked ? 1U : 0U), row.tool << " " << row.wanted);
    BOOST_TEST(receipts(w).size() == (row.asked ? 0U : 1U));
    if (!row.asked)
      BOOST_TEST((receipts(w).at(0).outcome == tool_outcome::failed));
    ends_well(w);
  }
}

BOOST_AUTO_TEST_CASE(a_call_that_was_stopped_or_did_its_work_is_no_failure) {
  for (const auto outcome : {tool_outcome::completed, tool_outcome::aborted}) {
    world w = calling({"plain"});
    const auto& call = w.now().calls.at(0);
    w.apply(tool_answer{call.execution_id, 1, outcome, content("so"), outcome == tool_outcome::aborted,
        std::nullopt, std::nullopt, false, std::nullopt});
    BOOST_TEST(count<tool_uncertain>(w) == 0U);
    ends_well(w);
  }
}

BOOST_AUTO_TEST_CASE(the_question_outlives_a_crash) {
  world w = calling({"plain", "durable"});
  fail(w, 0, "exit 1");
  const auto asked = count<tool_uncertain>(w);
  w.crash();
  BOOST_TEST(count<tool_uncertain>(w) == asked);
  BOOST_TEST(w.now().calls.at(0).failure.value() == "exit 1");
  BOOST_TEST((w.now().calls.at(0).phase == session::call_phase::uncertain));
  judge(w, 0, verdict::rerun);
  BOOST_TEST(!w.now().calls.at(0).failure);
  w.crash(); // now it is cut off: another question, of another kind
  BOOST_TEST((last<tool_receipt>(w).outcome == tool_outcome::unknown));
  ends_well(w);
}

BOOST_AUTO_TEST_CASE(an_abort_closes_the_question_with_the_failure) {
  world w = calling({"plain"});
  fail(w, 0, "exit 1");
  const auto execution = w.now().calls.at(0).execution_id;
  w.apply(abort_run{"user"});
  BOOST_TEST(w.apply(give_verdict{execution, verdict::rerun, "user", std::nullopt}).has_value());
  w.settle();
  BOOST_TEST(session::status(w.now()) == "idle");
  BOOST_TEST((last<tool_receipt>(w).outcome == tool_outcome::failed));
  BOOST_TEST(plain_text(last<tool_receipt>(w).content) == "exit 1");
  ends_well(w);
}

BOOST_AUTO_TEST_CASE(of_a_long_failure_the_log_keeps_the_beginning_in_whole_characters) {
  world w = calling({"plain"});
  std::string text = "x";
  while (text.size() < 3 * inline_bytes_max)
    text += "\u4e16";
  fail(w, 0, text);
  const auto kept = last<tool_uncertain>(w).error.value();
  BOOST_TEST(kept.size() <= inline_bytes_max);
  BOOST_TEST(kept.size() > inline_bytes_max - 4);
  BOOST_TEST(text.starts_with(kept));
  BOOST_TEST(is_utf8(kept));
  ends_well(w);
}

BOOST_AUTO_TEST_CASE(a_clients_failure_is_asked_about_and_may_be_sent_again) {
  world w = calling({"remote"});
  const auto execution = w.now().calls.at(0).execution_id;
  const auto brought = [&](const std::string& text, bool is_error) {
    const auto refused =
        w.apply(client_result{execution, content(text), is_error, std::nullopt, false, std::nullopt});
    return refused ? std::string(name_of(refused->code)) : std::string();
  };
  BOOST_TEST(brought("no printer", true) == "");
  BOOST_TEST(last<tool_uncertain>(w).error.value() == "no printer");
  BOOST_TEST(brought("no printer", true) == "");
  BOOST_TEST(count<tool_uncertain>(w) == 1U);
  BOOST_TEST(brought("no paper", true) == "conflict");
  BOOST_TEST(brought("no printer", false) == "conflict");
  judge(w, 0, verdict::rerun);
  BOOST_TEST((w.now().calls.at(0).phase == session::call_phase::running));
  BOOST_TEST(brought("printed", false) == "");
  ends_well(w);
}

BOOST_AUTO_TEST_SUITE_END()
