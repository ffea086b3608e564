// The context is made smaller: cuts, clearing, thresholds, overflow, failures, and what waits meanwhile.
#include "session/compaction_cut.hpp"
#include "session/context_size.hpp"
#include "session/pairing.hpp"
#include "session/summary.hpp"
#include "tests/support/log_rules.hpp"
#include "tests/support/world.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using testing::count;
using testing::last;
using testing::world;

BOOST_AUTO_TEST_SUITE(compaction)

namespace {

options by(compaction_strategy strategy, std::optional<std::int64_t> threshold = std::nullopt,
    std::optional<std::int64_t> keep = 1) {
  options o;
  o.compaction = compaction_options{strategy, threshold, keep};
  return o;
}

void say(world& w, const std::string& id, const std::string& text = "Hello.") {
  w.apply(
      accept_message{id, delivery::send, content(text), std::nullopt, std::nullopt, std::nullopt, "client"});
  w.settle();
}

void round(world& w, const std::string& id) {
  say(w, id);
  w.answer("end_turn", {text_block{"Hi " + id + "."}});
}

// A round with one call of a tool in it.
void round_with_call(world& w, const std::string& id) {
  say(w, id);
  w.answer("tool_use", {testing::call_of("durable", "c-" + id)});
  w.finish_tool(0, false, false);
  w.answer("end_turn", {text_block{"Done " + id + "."}});
}

void compact_now(world& w) {
  w.apply(compact{});
  w.settle();
}

std::string text_of(const message& m) {
  if (m.role == "assistant")
    return session::summary_text(m.blocks);
  return plain_text(content(m.parts));
}

std::vector<std::string> roles(const world& w) {
  std::vector<std::string> out;
  for (const auto& m : w.now().context.messages())
    out.push_back(m.role);
  return out;
}

void keeps_the_rules(const world& w) {
  const auto breach = testing::log_breach(w.log(), world::durable_tools());
  BOOST_TEST(!breach, breach.value_or(""));
}

session::context_entry entry(const std::string& role, std::int64_t seq, std::size_t bytes = 40) {
  session::context_entry e;
  e.message.role = role;
  e.seq = seq;
  if (role == "assistant")
    e.message.blocks = {text_block{std::string(bytes, 'a')}};
  else
    e.message.parts = {text_part{std::string(bytes, 'x')}};
  if (role == "tool")
    e.answers = std::make_shared<const session::answered_call>();
  return e;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_summary_stands_for_all_but_the_newest_rounds) {
  world w(by(compaction_strategy::summarize));
  round_with_call(w, "a");
  round(w, "b");
  compact_now(w);
  const auto& started = last<compaction_started>(w);
  BOOST_TEST(started.strategy == "summarize");
  BOOST_TEST(started.reason == "requested");
  BOOST_TEST(session::status(w.now()) == "running");
  BOOST_TEST(!w.now().run.has_value());
  w.end_compaction(false);
  BOOST_TEST(session::status(w.now()) == "idle");
  BOOST_TEST((roles(w) == std::vector<std::string>{"user", "user", "assistant"}));
  BOOST_TEST(text_of(w.now().context.messages().front()).starts_with("## Current work"));
  BOOST_TEST(*w.now().usage.input_tokens >= 100);
  compact_now(w); // the summary alone isn't summed up again
  BOOST_TEST(count<compaction_started>(w) == 1U);
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(nothing_to_leave_out_changes_nothing) {
  world w(by(compaction_strategy::summarize));
  compact_now(w);
  round(w, "a");
  compact_now(w);
  BOOST_TEST(count<compaction_started>(w) == 0U);
  world cleared(by(compaction_strategy::clear_tool_results));
  round_with_call(cleared, "a");
  compact_now(cleared);
  BOOST_TEST(count<context_cleared>(cleared) == 0U);
}

BOOST_AUTO_TEST_CASE(what_comes_meanwhile_is_taken_up_behind_it) {
  world w(by(compaction_strategy::summarize));
  round(w, "a");
  round(w, "b");
  compact_now(w);
  say(w, "c");
  BOOST_TEST(w.now().sends.size() == 1U);
  w.end_compaction(false);
  BOOST_TEST(w.now().sends.empty());
  BOOST_TEST((roles(w) == std::vector<std::string>{"user", "user", "assistant", "user"}));
  // in one append: the end, then the work
  BOOST_TEST(w.appends().back().events >= 5U);
  w.drive_to_idle();
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(a_compaction_that_fails_leaves_everything_as_it_was) {
  world w(by(compaction_strategy::summarize));
  round(w, "a");
  round(w, "b");
  const auto before = w.now().context.digest();
  compact_now(w);
  w.end_compaction(true);
  BOOST_TEST(last<compaction_failed>(w).error.code == "overloaded");
  BOOST_TEST(w.now().context.digest() == before);
  BOOST_TEST(session::status(w.now()) == "idle");
}

BOOST_AUTO_TEST_CASE(an_answer_of_another_compaction_changes_nothing) {
  world w(by(compaction_strategy::summarize));
  round(w, "a");
  round(w, "b");
  compact_now(w);
  const auto first = last<compaction_started>(w).compaction_id;
  w.end_compaction(true);
  const auto head = w.now().head;
  w.apply(compaction_answer{first, {{"user", content("late")}}, {}, {}, {}, {}});
  BOOST_TEST(w.now().head == head);
}

BOOST_AUTO_TEST_CASE(a_requested_one_comes_before_the_run_s_next_inference) {
  world w(by(compaction_strategy::summarize));
  round(w, "a");
  say(w, "b");
  w.answer("tool_use", {testing::call_of("plain", "c")});
  w.compaction_wanted = true;
  w.finish_tool(0, false, false);
  BOOST_REQUIRE(w.now().compaction);
  BOOST_TEST(w.now().run.has_value());
  w.compaction_wanted = false;
  say(w, "meanwhile");
  w.end_compaction(false);
  BOOST_TEST(w.now().inference->open);
  BOOST_TEST((roles(w) == std::vector<std::string>{"user", "user", "assistant", "tool"}));
  BOOST_TEST(w.now().sends.size() == 1U); // results are answered before
  w.drive_to_idle();
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(above_the_threshold_it_begins_by_itself) {
  world w(by(compaction_strategy::summarize, 40));
  round(w, "a");
  BOOST_TEST(count<compaction_started>(w) == 0U);
  say(w, "b", std::string(200, 'x'));
  BOOST_REQUIRE(w.now().compaction);
  BOOST_TEST(w.now().compaction->reason == "threshold");
  BOOST_TEST(count<inference_started>(w) == 1U);
  w.end_compaction(true); // a failure never fails the turn
  BOOST_TEST(w.now().inference->open);
  w.answer("end_turn", {text_block{"Hi."}});
  BOOST_TEST(session::status(w.now()) == "idle");
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(three_failures_in_a_row_end_it_until_one_succeeds) {
  world w(by(compaction_strategy::summarize, 10));
  round(w, "a");
  for (const char* const id : {"b", "c", "d", "e", "f"}) {
    say(w, id, std::string(100, 'x'));
    w.end_compaction(true);
    w.answer("end_turn", {text_block{"Hi."}});
  }
  BOOST_TEST(count<compaction_failed>(w) == 3U);
  compact_now(w); // whoever asks is heard
  w.end_compaction(false);
  BOOST_TEST(count<compaction_finished>(w) == 1U);
  say(w, "g", std::string(100, 'x'));
  BOOST_TEST(w.now().compaction != nullptr);
}

// B-055
BOOST_AUTO_TEST_CASE(B_055_a_compaction_that_does_not_help_ends_the_turn_and_names_the_largest_part) {
  world w(by(compaction_strategy::summarize, 100));
  w.known.tools = std::string(9000, 't');
  round(w, "a");
  say(w, "b");
  BOOST_REQUIRE(w.now().compaction);
  const auto inferences = count<inference_started>(w);
  w.end_compaction(false);
  BOOST_TEST(count<inference_started>(w) == inferences);
  const auto& outcome = last<run_finished>(w).outcome;
  BOOST_REQUIRE(outcome.error);
  BOOST_TEST(outcome.error->code == "context_exhausted");
  BOOST_TEST(outcome.error->message.find("instructions and tools") != std::string::npos);
  BOOST_TEST(count<compaction_started>(w) == 1U);
  for (int more = 0; more < 6; ++more) { // nor is it tried for every message to come
    say(w, "more" + std::to_string(more), std::string(400, 'x'));
    w.end_compaction(false);
    w.answer("end_turn", {text_block{"Hi."}});
  }
  BOOST_TEST(count<compaction_started>(w) == 3U);
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(a_count_from_before_a_compaction_asks_for_no_other) {
  world w(by(compaction_strategy::summarize, 5000));
  round(w, "a");
  round(w, "b");
  compact_now(w);
  w.end_compaction(false);
  BOOST_TEST(!w.now().measured.has_value());
  BOOST_TEST(session::context_tokens(w.now()) < 200);
}

BOOST_AUTO_TEST_CASE(overflow_is_met_by_one_compaction_and_one_more_try) {
  world w(by(compaction_strategy::summarize));
  round(w, "a");
  say(w, "b");
  w.fail_for_length();
  BOOST_REQUIRE(w.now().compaction);
  BOOST_TEST(w.now().compaction->reason == "overflow");
  BOOST_TEST(count<notice_added>(w) == 0U);
  w.end_compaction(false);
  BOOST_TEST(w.now().inference->open);
  w.fail_for_length(); // still: told, and no second try
  BOOST_TEST(count<compaction_started>(w) == 1U);
  BOOST_TEST(last<run_finished>(w).outcome.error->code == "context_overflow");
  BOOST_TEST(count<notice_added>(w) == 1U);
  round(w, "c"); // the next question has a try of its own
  say(w, "d");
  w.fail_for_length();
  BOOST_TEST(count<compaction_started>(w) == 2U);
  w.end_compaction(false);
  w.drive_to_idle();
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(an_overflow_whose_compaction_fails_fails_the_turn_with_the_overflow) {
  world w(by(compaction_strategy::summarize));
  round(w, "a");
  say(w, "b");
  w.fail_for_length();
  w.end_compaction(true);
  BOOST_TEST(last<run_finished>(w).outcome.error->code == "context_overflow");
  BOOST_TEST(count<run_finished>(w) == 2U);
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(overflow_with_nothing_to_leave_out_fails_at_once) {
  world w(by(compaction_strategy::summarize));
  say(w, "a");
  w.fail_for_length();
  BOOST_TEST(!w.now().compaction);
  BOOST_TEST(last<run_finished>(w).outcome.error->code == "context_overflow");
}

BOOST_AUTO_TEST_CASE(clearing_leaves_the_newest_results_and_every_call_its_own) {
  world w(by(compaction_strategy::clear_tool_results, std::nullopt, 1));
  for (const char* const id : {"a", "b", "c"})
    round_with_call(w, id);
  compact_now(w);
  const auto& cleared = last<context_cleared>(w);
  BOOST_TEST(cleared.calls.size() == 2U);
  BOOST_TEST(!session::pairing_breach(w.now().context.messages()));
  std::vector<std::string> shown;
  for (const auto& m : w.now().context.messages())
    if (m.role == "tool")
      shown.push_back(text_of(m));
  BOOST_TEST((shown
      == std::vector<std::string>{
          "[old tool output cleared: durable]", "[old tool output cleared: durable]", "done"}));
  compact_now(w); // what is cleared is not cleared again
  BOOST_TEST(count<context_cleared>(w) == 1U);
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(outputs_that_cannot_be_had_again_stay) {
  world w(by(compaction_strategy::clear_tool_results));
  for (const char* const id : {"a", "b", "c"}) {
    say(w, id);
    w.answer("tool_use", {testing::call_of("asking", std::string("c") + id)});
    w.finish_tool(0, false, false);
    w.answer("end_turn", {text_block{"Done."}});
  }
  compact_now(w);
  BOOST_TEST(count<context_cleared>(w) == 0U);
}

BOOST_AUTO_TEST_CASE(an_abort_cancels_it_with_and_without_a_run) {
  world idle(by(compaction_strategy::summarize));
  round(idle, "a");
  round(idle, "b");
  compact_now(idle);
  idle.apply(abort_run{"user"});
  idle.settle();
  BOOST_TEST(last<compaction_failed>(idle).error.code == "cancelled");
  BOOST_TEST(session::status(idle.now()) == "idle");
  BOOST_TEST(count<abort_requested>(idle) == 0U);
  compact_now(idle);
  say(idle, "c");
  BOOST_TEST((idle.apply(start{}).value().code == problem_code::conflict)); // it couldn't be noted
  BOOST_TEST((idle.apply(continue_run{}).value().code == problem_code::conflict));
  idle.apply(abort_run{"reset"});
  idle.settle();
  BOOST_TEST(!idle.now().run.has_value()); // an abort starts nothing
  BOOST_TEST(idle.now().held);
  idle.apply(reset_context{});
  BOOST_TEST(idle.now().sends.size() == 1U);
  idle.apply(start{});
  BOOST_TEST(idle.now().sends.empty());

  world w(by(compaction_strategy::summarize));
  round(w, "a");
  say(w, "b");
  w.fail_for_length();
  w.apply(abort_run{"user"});
  BOOST_TEST(session::work(w.now()).empty());
  w.end_compaction(false); // too late: it was cancelled
  BOOST_TEST(count<compaction_finished>(w) == 0U);
  BOOST_TEST(last<compaction_failed>(w).error.message == "The compaction was cancelled by an abort.");
  BOOST_TEST((last<run_finished>(w).outcome.kind == run_outcome_kind::aborted));
  BOOST_TEST(w.now().compaction_failures == 0);
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(a_closing_session_gives_it_up) {
  world w(by(compaction_strategy::summarize));
  round(w, "a");
  round(w, "b");
  compact_now(w);
  w.apply(close_session{});
  w.settle();
  BOOST_TEST(last<compaction_failed>(w).error.message == "The agent was closed before the compaction ran.");
  BOOST_TEST(w.now().closed);
  BOOST_TEST((w.apply(compact{}).value().code == problem_code::closed));
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(one_that_a_crash_interrupted_is_closed_and_not_repeated) {
  world idle(by(compaction_strategy::summarize));
  round(idle, "a");
  round(idle, "b");
  compact_now(idle);
  idle.crash();
  BOOST_TEST(last<compaction_failed>(idle).error.code == "interrupted");
  BOOST_TEST(session::status(idle.now()) == "idle");
  idle.crash();
  BOOST_TEST(count<compaction_failed>(idle) == 1U);

  world w(by(compaction_strategy::summarize, 40)); // within a run the inference follows
  round(w, "a");
  say(w, "b", std::string(200, 'x'));
  w.crash();
  BOOST_TEST(count<compaction_started>(w) == 1U);
  BOOST_TEST(w.now().inference->open);
  w.drive_to_idle();
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(a_parked_session_wants_to_be_started_first) {
  world w(by(compaction_strategy::summarize));
  round(w, "a");
  w.park();
  BOOST_TEST((w.apply(compact{}).value().code == problem_code::conflict));
}

// K-115
BOOST_AUTO_TEST_CASE(sizes_grow_with_the_text_block_by_block) {
  const auto of = [](std::size_t bytes) {
    return session::estimated_tokens(entry("user", 1, bytes).message);
  };
  BOOST_TEST(of(0) > 0);
  for (std::size_t bytes = 0; bytes < 5000; bytes += 7)
    BOOST_TEST(of(bytes) <= of(bytes + 7));
  BOOST_TEST(of(50'000) >= 12'500);
  message five{"user", {}, {}, {}, {}};
  for (int i = 0; i < 5; ++i)
    five.parts.push_back(text_part{std::string(10'000, 'x')});
  BOOST_TEST(session::estimated_tokens(five) >= 12'500);
  message picture{"user", {image_part{"image/png", large_text("abc"), std::nullopt}}, {}, {}, {}};
  BOOST_TEST(session::estimated_tokens(picture) > 1000);
}

// B-057
BOOST_AUTO_TEST_CASE(B_057_no_cut_parts_a_call_from_its_results) {
  std::vector<session::context_entry> all;
  std::int64_t seq = 0;
  for (int round = 0; round < 8; ++round) {
    all.push_back(entry("user", ++seq));
    for (int call = 0; call <= round % 3; ++call) {
      all.push_back(entry("assistant", ++seq));
      all.push_back(entry("tool", ++seq));
      all.push_back(entry("tool", ++seq));
    }
    all.push_back(entry("assistant", ++seq));
  }
  for (std::int64_t rounds = 1; rounds < 12; ++rounds)
    for (std::int64_t tokens = 1; tokens < 600; tokens += 3)
      for (const std::int64_t most : {std::int64_t{0}, std::int64_t{100}, std::int64_t{1'000'000}})
        if (const auto cut = session::find_cut(all, {rounds, most, tokens})) {
          const auto kept = std::find_if(all.begin(), all.end(), [&](const auto& e) { return e.seq > *cut; });
          BOOST_REQUIRE((kept != all.end()));
          BOOST_TEST(kept->message.role != "tool");
          BOOST_TEST((kept != all.begin()));
        }
}

BOOST_AUTO_TEST_CASE(a_long_round_is_cut_by_size_and_its_beginning_summed_up_apart) {
  std::vector<session::context_entry> all{entry("user", 1), entry("assistant", 2), entry("user", 3)};
  for (std::int64_t seq = 4; seq < 44; seq += 2) {
    all.push_back(entry("assistant", seq, 400));
    all.push_back(entry("tool", seq + 1, 4000));
  }
  const auto cut = session::find_cut(all, {1, 3000, 3000});
  BOOST_REQUIRE(cut);
  BOOST_TEST(*cut > 3);
  const auto covered = session::covered_by(all, *cut);
  BOOST_TEST(covered.history.size() == 2U);
  BOOST_TEST(covered.begun_round.front().role == "user");
  BOOST_TEST(covered.begun_round.back().role == "tool");
  const auto by_rounds = session::find_cut(all, {1, 1'000'000, 3000});
  BOOST_TEST(by_rounds.value() == 2);
  BOOST_TEST(session::covered_by(all, 2).begun_round.empty());
}

BOOST_AUTO_TEST_CASE(messages_that_were_taken_together_stay_together) {
  const std::vector<session::context_entry> all{
      entry("user", 1), entry("assistant", 2), entry("user", 5), entry("user", 5), entry("assistant", 6)};
  BOOST_TEST(session::find_cut(all, {1, 1000, 1000}).value() == 4);
}

// K-120, B-059
BOOST_AUTO_TEST_CASE(B_059_a_summary_is_checked_before_it_stands_for_anything) {
  using session::fault_of_summary;
  using session::summary_of;
  const auto fault = [](std::vector<block> answer) { return fault_of_summary(summary_of::history, answer); };
  BOOST_TEST(!fault({text_block{"## Current work\nA.\n\n## Next steps\nB."}}));
  BOOST_TEST(fault({testing::call_of("plain", "c")}).value() == "the summary calls a tool");
  BOOST_TEST(fault({}).value() == "the summary is empty");
  BOOST_TEST(fault({text_block{" \n"}}).value() == "the summary is empty");
  BOOST_TEST(fault({text_block{"## Current work\nA."}}).value().find("## Next steps") != std::string::npos);
  BOOST_TEST(fault({text_block{"## Current workings\n## Next steps\n"}}).has_value());
  BOOST_TEST(fault({text_block{"## Current work\n## Next steps\n<tool_call>{}"}}).has_value());
  BOOST_TEST(!fault_of_summary(summary_of::begun_round, {text_block{"They asked for a list."}}));
}

// B-062: the text alone stands in the context, so the model that writes it is told to say so.
BOOST_AUTO_TEST_CASE(B_062_exact_values_are_asked_for_and_what_is_covered_can_still_be_read) {
  const auto asked = session::summary_instructions(session::summary_of::history);
  BOOST_TEST(asked.find("Keep exact values") != std::string::npos);
  BOOST_TEST(asked.find("can be looked up with the tools again") != std::string::npos);
  world w(by(compaction_strategy::summarize));
  round_with_call(w, "a");
  const auto kept = last<tool_receipt>(w).content;
  round(w, "b");
  compact_now(w);
  w.end_compaction(false);
  BOOST_TEST((last<tool_receipt>(w).content == kept)); // the log loses nothing
}

BOOST_AUTO_TEST_CASE(a_transcript_says_whose_each_line_is_and_cuts_long_results) {
  message call{"assistant", {}, {thinking_block{"Hm.", {}, {}}, testing::call_of("plain", "c")}, {}, {}};
  message result{"tool", {text_part{std::string(5000, 'r')}}, {}, "c", true};
  const auto text =
      session::transcript(std::vector{message{"user", {text_part{"Do."}}, {}, {}, {}}, call, result});
  BOOST_TEST(text.starts_with(
      "[user] Do.\n[assistant, thinking] Hm.\n[assistant calls] plain({})\n[result, failed] "));
  BOOST_TEST(text.find("[3000 more bytes]") != std::string::npos);
  BOOST_TEST(text.size() < 2200U);
}

BOOST_AUTO_TEST_SUITE_END()
