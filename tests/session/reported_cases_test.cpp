// Cases from public bug reports that are the machine's own matter; each test names its case.
#include "session/pairing.hpp"
#include "session/project.hpp"
#include "tests/support/log_rules.hpp"
#include "tests/support/world.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

using namespace troupe;
using testing::call_of;
using testing::count;
using testing::last;
using testing::world;

BOOST_AUTO_TEST_SUITE(reported_cases)

namespace {

void say(world& w, const std::string& id) {
  w.apply(accept_message{
      id, delivery::send, content("Hello " + id), std::nullopt, std::nullopt, std::nullopt, "client"});
  w.settle();
}

/// A session whose model has called these tools.
world calling(const std::vector<std::string>& tools, options wanted = {}) {
  world w(std::move(wanted));
  say(w, "m1");
  std::vector<block> calls;
  for (const auto& tool : tools)
    calls.push_back(call_of(tool, "c" + std::to_string(calls.size())));
  w.answer("tool_use", std::move(calls));
  return w;
}

options one_by_one() {
  options wanted;
  wanted.tool_execution = execution_mode::sequential;
  return wanted;
}

/// What the n-th call's attempt comes back with.
void end_call(world& w, std::size_t n, const std::string& text, bool is_error = false) {
  const auto& call = w.now().calls.at(n);
  w.apply(tool_answer{call.execution_id, call.attempt,
      is_error ? tool_outcome::failed : tool_outcome::completed, content(text), is_error,
      is_error ? std::optional(error_kind::fatal) : std::nullopt, std::nullopt, false, std::nullopt});
  w.settle();
}

void decide(world& w, std::size_t n, bool allow) {
  w.apply(decide_permission{w.now().calls.at(n).decision_id, allow, "user", std::nullopt, std::nullopt});
  w.settle();
}

/// The results that the model is shown, in their order; an error has a `!` before it.
std::vector<std::string> results_shown(const world& w) {
  std::vector<std::string> out;
  for (const auto& message : w.now().context.messages())
    if (message.role == "tool")
      out.push_back((message.is_error.value() ? "!" : "") + plain_text(content(message.parts)));
  return out;
}

std::vector<std::string> ids_shown(const world& w) {
  std::vector<std::string> out;
  for (const auto& message : w.now().context.messages())
    if (message.call_id)
      out.push_back(*message.call_id);
  return out;
}

std::string roles(const world& w) {
  std::string out;
  for (const auto& message : w.now().context.messages())
    out += message.role.front();
  return out;
}

void is_whole(const world& w) {
  const auto breach = testing::log_breach(w.log(), world::durable_tools());
  BOOST_TEST(!breach, breach.value_or(""));
  const auto unpaired = session::pairing_breach(w.now().context.messages());
  BOOST_TEST(!unpaired, unpaired.value_or(""));
}

} // namespace

// B-029, B-036: what an abort cut off is closed before anything else is said, and goes on in full.
BOOST_AUTO_TEST_CASE(after_an_abort_the_results_of_its_calls_stand_before_the_next_message) {
  world w = calling({"plain", "plain"});
  w.apply(abort_run{"user"});
  w.apply(settle_abort{});
  say(w, "m2");
  BOOST_TEST(roles(w) == "uattu");
  BOOST_TEST((results_shown(w) == std::vector<std::string>(2, "!The tool call was aborted.")));
  is_whole(w);

  world cut = world();
  say(cut, "m1");
  cut.apply(block_finished{cut.now().inference->data->inference_id, {call_of("plain", "call_7")}});
  cut.apply(abort_run{"user"});
  cut.apply(settle_abort{});
  say(cut, "m2");
  BOOST_TEST(roles(cut) == "uatu");
  BOOST_TEST(count<tool_started>(cut) == 0U);
  is_whole(cut);
}

// B-031: what the provider ran and answered itself gets no second answer from us.
BOOST_AUTO_TEST_CASE(a_call_that_the_provider_ran_has_the_providers_result_alone) {
  world w;
  say(w, "m1");
  w.answer("end_turn",
      {server_tool_call_block{
           {R"({"provider_type":"server_tool_use","id":"s1","name":"web","input":"{oops"})"}},
          server_tool_result_block{
              {R"({"provider_type":"web_search_tool_result","tool_use_id":"s1","content":{"type":"error"}})"}},
          text_block{"It failed."}});
  say(w, "m2");
  BOOST_TEST(roles(w) == "uau");
  BOOST_TEST(w.now().context.messages().at(1).blocks.size() == 3U);
  BOOST_TEST(count<tool_result>(w) == 0U);
  is_whole(w);
}

// B-032: a tool that answered and then failed has answered.
BOOST_AUTO_TEST_CASE(the_first_answer_of_an_attempt_is_the_only_one) {
  world w = calling({"plain", "plain"});
  end_call(w, 0, "done");
  const auto head = w.now().head;
  end_call(w, 0, "its cleanup threw", true);
  BOOST_TEST(w.now().head == head);
  end_call(w, 1, "done too");
  BOOST_TEST((results_shown(w) == std::vector<std::string>{"done", "done too"}));
  is_whole(w);
}

// B-033: a provider that knows one id only; every call and every result is there, under ids of their own.
BOOST_AUTO_TEST_CASE(calls_of_several_turns_under_one_id_are_told_apart) {
  world w;
  say(w, "m1");
  for (const char* const text : {"one", "two", "three"}) {
    w.answer("tool_use", {call_of("plain", "X")});
    end_call(w, 0, text);
  }
  BOOST_TEST((results_shown(w) == std::vector<std::string>{"one", "two", "three"}));
  BOOST_TEST((ids_shown(w) == std::vector<std::string>{"X", "X-2", "X-3"}));
  is_whole(w);
}

// B-034: the same id twice and none at all, within one answer.
BOOST_AUTO_TEST_CASE(colliding_and_blank_ids_get_results_by_their_place) {
  world w;
  say(w, "m1");
  w.answer("tool_use", {call_of("plain", "a"), call_of("plain", "a"), call_of("plain", "")});
  BOOST_REQUIRE_EQUAL(w.now().calls.size(), 3U);
  end_call(w, 2, "third");
  end_call(w, 0, "first");
  end_call(w, 1, "second");
  BOOST_TEST((results_shown(w) == std::vector<std::string>{"first", "second", "third"}));
  const auto ids = ids_shown(w);
  BOOST_TEST(std::set<std::string>(ids.begin(), ids.end()).size() == 3U);
  for (const auto& id : ids)
    BOOST_TEST(!id.empty());
  is_whole(w);
}

// B-028, B-040: each call settles alone.
BOOST_AUTO_TEST_CASE(a_call_that_fails_takes_nothing_from_its_siblings) {
  world w = calling({"plain", "plain", "plain"});
  end_call(w, 1, "it threw", true);
  BOOST_TEST(session::work(w.now()).size() == 2U);
  end_call(w, 2, "ok");
  end_call(w, 0, "ok");
  BOOST_TEST((results_shown(w) == std::vector<std::string>{"ok", "!it threw", "ok"}));
  BOOST_TEST(count<inference_started>(w) == 2U);
  is_whole(w);
}

// B-041: what is done is in the log when it is done, whoever is still at work beside it.
BOOST_AUTO_TEST_CASE(a_finished_result_is_kept_though_its_sibling_never_ends) {
  world w = calling({"asking", "plain", "plain"});
  end_call(w, 2, "fast");
  end_call(w, 1, "faster");
  w.crash();
  BOOST_TEST(count<tool_started>(w) == 3U);
  BOOST_TEST(session::work(w.now()).empty());
  w.apply(give_verdict{w.now().calls.at(0).execution_id, verdict::abandon, "user", std::nullopt});
  BOOST_TEST((results_shown(w)
      == std::vector<std::string>{"!The tool call was abandoned by a person.", "faster", "fast"}));
  is_whole(w);
}

// B-042: who is refused at once is told in his place, not first.
BOOST_AUTO_TEST_CASE(results_stand_in_the_order_of_the_calls_however_they_came) {
  options wanted;
  wanted.permissions = std::vector<permission_rule>{{"serial", permission::deny, "Never."}};
  world w = calling({"plain", "serial"}, std::move(wanted));
  BOOST_TEST(last<tool_receipt>(w).execution_id == w.now().calls.at(1).execution_id);
  BOOST_TEST(count<tool_result>(w) == 0U);
  end_call(w, 0, "slow");
  BOOST_TEST((results_shown(w) == std::vector<std::string>{"slow", "![Permission denied] Never."}));
  is_whole(w);
}

// B-044: what hasn't begun when the run is aborted never begins.
BOOST_AUTO_TEST_CASE(of_a_sequential_batch_only_the_call_that_ran_has_begun) {
  world w = calling({"plain", "plain", "plain"}, one_by_one());
  w.apply(abort_run{"user"});
  w.settle();
  end_call(w, 0, "done before it was told");
  w.settle();
  BOOST_TEST(count<tool_started>(w) == 1U);
  BOOST_TEST((results_shown(w)
      == std::vector<std::string>{
          "done before it was told", "!The tool call was aborted.", "!The tool call was aborted."}));
  BOOST_TEST(session::status(w.now()) == "idle");
  is_whole(w);
}

// B-047: what ran has run, though the run is aborted behind it.
BOOST_AUTO_TEST_CASE(a_call_that_was_approved_and_ran_is_not_run_by_going_on) {
  world w = calling({"gated"});
  decide(w, 0, true);
  end_call(w, 0, "done");
  w.apply(abort_run{"user"});
  w.apply(settle_abort{});
  w.apply(start{});
  w.settle();
  BOOST_TEST(count<tool_started>(w) == 1U);
  BOOST_TEST((results_shown(w) == std::vector<std::string>{"done"}));
  w.answer("end_turn", {text_block{"Done."}});
  is_whole(w);
}

// B-100: what was approved is what runs, also in another process, and nobody is asked for it anew.
BOOST_AUTO_TEST_CASE(an_approval_is_of_the_arguments_that_were_shown) {
  world w(one_by_one());
  say(w, "m1");
  w.answer("tool_use",
      {call_of("gated", "first"),
          tool_call_block{"c1", "gated", json::raw{R"({"m":"reviewed"})"}, std::nullopt}});
  decide(w, 1, true); // it waits for the first to be answered
  w.crash();
  BOOST_TEST(count<tool_started>(w) == 0U);
  BOOST_TEST(count<inference_started>(w) == 1U);
  decide(w, 0, false);
  BOOST_TEST(last<tool_started>(w).execution_id == w.now().calls.at(1).execution_id);
  BOOST_TEST(w.now().calls.at(1).effective_arguments().text == R"({"m":"reviewed"})");
  BOOST_TEST(count<permission_requested>(w) == 2U);
  BOOST_TEST(count<inference_started>(w) == 1U);
  w.drive_to_idle();
  is_whole(w);
}

// B-103: what a person decided holds, whatever the rule would say by now.
BOOST_AUTO_TEST_CASE(a_decision_outranks_a_rule_that_changed_since) {
  world w = calling({"gated"});
  w.apply(
      update_session{{R"({"permissions":[{"tool":"gated","decision":"deny","reason":"Not any more."}]})"}});
  w.crash();
  decide(w, 0, true);
  BOOST_TEST(count<tool_started>(w) == 1U);
  BOOST_TEST(count<tool_decided>(w) == 0U);
  end_call(w, 0, "done");
  w.answer("tool_use", {call_of("gated", "again")}); // the next one is the new rule's
  BOOST_TEST(results_shown(w).back() == "![Permission denied] Not any more.");
  w.drive_to_idle();
  is_whole(w);
}

namespace {

/// Goes on as a model and tools do that always say the same, until the session is idle.
void go_on_by_the_script(world& w) {
  for (int steps = 0; session::status(w.now()) != "idle"; ++steps) {
    BOOST_REQUIRE(steps < 100);
    for (const auto& call : std::vector(w.now().calls)) {
      if (call.phase == session::call_phase::asking)
        w.apply(decide_permission{call.decision_id, true, "user", std::nullopt, std::nullopt});
    }
    w.settle();
    for (std::size_t n = 0; n < w.now().calls.size(); ++n)
      if (w.now().calls.at(n).phase == session::call_phase::running)
        end_call(w, n, "result of " + w.now().calls.at(n).call_id);
    if (!w.now().inference || !w.now().inference->open)
      continue;
    const auto turns = results_shown(w).size() / 2;
    if (turns < 2)
      w.answer("tool_use",
          {text_block{"Step " + std::to_string(turns)}, call_of("durable", "a" + std::to_string(turns)),
              call_of("keyed", "b" + std::to_string(turns))});
    else
      w.answer("end_turn", {text_block{"All done."}});
  }
}

} // namespace

// B-091: stopped anywhere and taken up by another process, the rest is as it would have been.
BOOST_AUTO_TEST_CASE(a_run_that_is_stopped_anywhere_comes_to_the_same_context) {
  options wanted;
  wanted.permissions = std::vector<permission_rule>{{"keyed", permission::ask, std::nullopt}};
  world whole(wanted);
  whole.known.tool_facts["keyed"].on_interrupted = interrupted_policy::rerun;
  say(whole, "m1");
  go_on_by_the_script(whole);
  const auto context = session::to_json(session::project(whole.log()));
  BOOST_TEST(count<tool_receipt>(whole) == 4U);
  for (const auto& append : whole.appends()) {
    if (append.log_before < 2)
      continue; // the message isn't in it yet
    world resumed = world::from(whole, append.log_before);
    go_on_by_the_script(resumed);
    BOOST_TEST(session::to_json(session::project(resumed.log())) == context,
        "stopped behind event " << append.log_before);
    BOOST_TEST(count<run_finished>(resumed) == 1U);
    const auto breach = testing::log_breach(resumed.log(), {"durable", "keyed"});
    BOOST_TEST(!breach, breach.value_or(""));
  }
}

BOOST_AUTO_TEST_SUITE_END()
