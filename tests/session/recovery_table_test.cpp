// What a session does next after a crash, for every kind of place where its log may end: one row each.
//
// The rows are those of a kernel whose log grows by single events; ours grows by appends. So what it could
// find apart stands together here, and some of its places don't exist:
//   - a stop for tools without its batch: they are one append, and so are an ask and its stop;
//   - a permission or a verdict without what follows from it at once, a receipt without the results that are
//     due: one append each, so a result is never rebuilt from a receipt afterwards;
//   - a call that began before its inference's stop (a pair astride of it): calls begin by a later append;
//   - an ask whose call was voided: nobody is asked before the stop.
#include "session/project.hpp"
#include "session/steps.hpp"
#include "tests/support/log_rules.hpp"
#include "tests/support/world.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using testing::call_of;
using testing::world;

BOOST_AUTO_TEST_SUITE(recovery_table)

namespace {

// -- how the rows say it ---------------------------------------------------------------------------

std::string joined(const std::string& before, const std::string& more) {
  return before + (before.empty() ? "" : ", ") + more;
}

std::string types_of(std::span<const event> events) {
  std::string out;
  for (const auto& event : events)
    out += (out.empty() ? "" : " ") + std::string(type_name(event.data));
  return out;
}

std::string owed_step(const world& w, const command& step) {
  if (std::holds_alternative<begin_tools>(step)) {
    std::string out;
    for (const auto& id : session::may_start(w.now(), w.known.tool_facts))
      out = joined(out, "begin " + w.now().find_call(id)->name);
    return out;
  }
  if (const auto* const it = std::get_if<abort_run>(&step))
    return "abort by " + it->by;
  return std::holds_alternative<take_up>(step)      ? "take up the message"
      : std::holds_alternative<settle_abort>(step)  ? "end the aborted run"
      : std::holds_alternative<close_session>(step) ? "be closed"
                                                    : "another command";
}

/// All that the session does or waits for now, and nothing else.
std::string next_of(const world& w) {
  std::string out;
  if (const auto step = session::next_step(w.now(), w.known.tool_facts))
    out = owed_step(w, *step);
  for (const auto& item : session::work(w.now())) {
    const auto* const tool = std::get_if<session::run_tool>(&item);
    out = joined(out,
        tool ? "run " + w.now().find_call(tool->execution_id)->name + " " + std::to_string(tool->attempt)
             : "ask the model");
  }
  for (const auto& call : w.now().calls) {
    if (call.phase == session::call_phase::asking)
      out = joined(out, "wait for permission of " + call.name);
    if (call.phase == session::call_phase::uncertain)
      out = joined(out, "wait for the verdict on " + call.name);
    if (call.phase == session::call_phase::running && call.client)
      out = joined(out, "wait for the client of " + call.name);
  }
  return out.empty() ? "nothing" : out;
}

/// The roles of what the model is shown, as letters.
std::string shown_to_model(const world& w) {
  std::string out;
  for (const auto& message : w.now().context.messages())
    out += message.role.front();
  return out;
}

// -- how a log comes to where it ends --------------------------------------------------------------

void say(world& w, const std::string& id = "m") {
  w.apply(accept_message{
      id, delivery::send, content("Hello"), std::nullopt, std::nullopt, std::nullopt, "client"});
}

world answering(options wanted = {}) {
  world w(std::move(wanted));
  say(w);
  w.settle();
  return w;
}

world calling(std::vector<std::string> tools, options wanted = {}) {
  world w = answering(std::move(wanted));
  std::vector<block> calls{text_block{"Let me see."}};
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

options asking_about_failures() {
  options wanted;
  wanted.on_failed_effect = "ask";
  return wanted;
}

void half_an_answer(world& w, std::vector<block> blocks) {
  w.apply(block_finished{w.now().inference->data->inference_id, std::move(blocks)});
}

void decide(world& w, std::size_t which, bool allow) {
  w.apply(decide_permission{w.now().calls.at(which).decision_id, allow, "user", std::nullopt, std::nullopt});
  w.settle();
}

void judge(world& w, std::size_t which, verdict word) {
  w.apply(give_verdict{w.now().calls.at(which).execution_id, word, "user", std::nullopt});
  w.settle();
}

/// Without its newest append.
world cut(const world& w) {
  const auto end = w.log().begin() + static_cast<std::ptrdiff_t>(w.appends().back().log_before);
  return world::of(w, {w.log().begin(), end});
}

/// With one more event that no command of the world's gives.
world with(const world& w, event_data data) {
  auto log = w.log();
  log.push_back({w.now().head + 1, w.now().at, std::nullopt, std::move(data)});
  return world::of(w, std::move(log));
}

// -- the table -------------------------------------------------------------------------------------

const std::string asked_anew = "output.voided inference.started";
const std::string given_up = "tool.receipt tool.result inference.started";

struct row {
  const char* where; ///< the log ends behind this
  std::function<world()> come_there;
  std::string recovery; ///< the types that the recovery appends
  std::string next;     ///< all that happens then
  std::string again;    ///< what a second crash appends, right behind the recovery
  std::string context;  ///< the roles that the model would be shown
};

// U: a message, C: a call's block, T: text, St: the stop; Rq, D+, D-: asked, allowed, denied; Ex: begun;
// Ok, Fail: its receipt; Un: uncertain; Rs: resolved; R: its result.
std::vector<row> rows_of_answers() {
  return {
      {"U accepted",
          [] {
            world w;
            say(w);
            return w;
          },
          "", "take up the message", "", ""},
      {"U taken up", [] { return answering(); }, asked_anew, "ask the model", asked_anew, "u"},
      {"U T C T",
          [] {
            world w = answering();
            half_an_answer(w, {text_block{"So."}, call_of("plain", "c"), text_block{"And"}});
            return w;
          },
          asked_anew, "ask the model", asked_anew, "u"},
      {"U C St, nothing begun", [] { return cut(calling({"plain"})); }, "", "begin plain", "", "ua"},
      {"a whole batch, then T",
          [] {
            world w = calling({"plain"});
            w.finish_tool(0, false, false);
            half_an_answer(w, {text_block{"So."}});
            return w;
          },
          asked_anew, "ask the model", asked_anew, "uat"},
      {"two calls, the receipts in the other order, then T",
          [] {
            world w = calling({"plain", "plain"});
            w.finish_tool(1, false, false);
            w.finish_tool(0, false, false);
            half_an_answer(w, {text_block{"So."}});
            return w;
          },
          asked_anew, "ask the model", asked_anew, "uatt"},
      {"a whole batch, then a call that asks, without its stop",
          [] {
            world w = calling({"plain"});
            w.finish_tool(0, false, false);
            half_an_answer(w, {text_block{"So."}, call_of("gated", "c0")});
            return w;
          },
          asked_anew, "ask the model", asked_anew, "uat"},
      {"a run that is over, then U T C",
          [] {
            world w = answering();
            w.answer("end_turn", {text_block{"Hi."}});
            say(w, "m2");
            w.settle();
            half_an_answer(w, {text_block{"So."}, call_of("gated", "c")});
            return w;
          },
          asked_anew, "ask the model", asked_anew, "uau"},
      {"a run that is over",
          [] {
            world w = answering();
            w.answer("end_turn", {text_block{"Hi."}});
            return w;
          },
          "", "nothing", "", "ua"},
      {"a run that failed",
          [] {
            world w = answering();
            w.fail_answer("Overloaded");
            return w;
          },
          "", "nothing", "", "us"},
      {"cut off four times in a row",
          [] {
            world w = answering();
            for (int i = 0; i < 4; ++i)
              w.crash();
            return w;
          },
          "output.voided session.parked", "nothing", "", "u"},
  };
}

std::vector<row> rows_of_permissions() {
  return {
      {"U C St Rq", [] { return calling({"gated"}); }, "", "wait for permission of gated", "", "ua"},
      {"U C St Rq, and one that runs",
          [] {
            return calling({"gated", "durable"});
          },
          "tool.started", "run durable 2, wait for permission of gated", "tool.started", "ua"},
      {"U C St Rq D+ Ex",
          [] {
            world w = calling({"gated"});
            decide(w, 0, true);
            return w;
          },
          given_up, "ask the model", asked_anew, "uat"},
      {"U C C St Rq Rq D+ of the second, one by one",
          [] {
            world w = calling({"gated", "gated"}, one_by_one());
            decide(w, 1, true);
            return w;
          },
          "", "wait for permission of gated", "", "ua"},
      {"U C C St Rq Rq D+ of the second, D- of the first, one by one",
          [] {
            world w = calling({"gated", "gated"}, one_by_one());
            decide(w, 1, true);
            decide(w, 0, false);
            return cut(w);
          },
          "", "begin gated", "", "uat"},
      {"U C St Rq D-",
          [] {
            world w = calling({"gated"});
            decide(w, 0, false);
            return w;
          },
          asked_anew, "ask the model", asked_anew, "uat"},
  };
}

std::vector<row> rows_of_executions() {
  return {
      {"Ex of what isn't run again", [] { return calling({"plain"}); }, given_up, "ask the model", asked_anew,
          "uat"},
      {"Ex of what is run again", [] { return calling({"durable"}); }, "tool.started", "run durable 2",
          "tool.started", "ua"},
      {"the fifth Ex of what is run again",
          [] {
            world w = calling({"durable"});
            for (int i = 0; i < 4; ++i)
              w.crash();
            return w;
          },
          given_up, "ask the model", asked_anew, "uat"},
      {"Ex of what a person is asked about", [] { return calling({"asking"}); }, "tool.uncertain",
          "wait for the verdict on asking", "", "ua"},
      {"Ex of the first, one by one",
          [] {
            return calling({"plain", "durable"}, one_by_one());
          },
          "tool.receipt tool.result", "begin durable", "", "uat"},
      {"Ex Ok",
          [] {
            world w = calling({"plain"});
            w.finish_tool(0, false, false);
            return w;
          },
          asked_anew, "ask the model", asked_anew, "uat"},
      {"Ex Fail",
          [] {
            world w = calling({"plain"});
            w.finish_tool(0, true, false);
            return w;
          },
          asked_anew, "ask the model", asked_anew, "uat"},
      {"Ex Ex Ok of the second",
          [] {
            world w = calling({"plain", "plain"});
            w.finish_tool(1, false, false);
            return w;
          },
          "tool.receipt tool.result tool.result inference.started", "ask the model", asked_anew, "uatt"},
      {"Ex Un",
          [] {
            world w = calling({"asking"});
            w.crash();
            return w;
          },
          "", "wait for the verdict on asking", "", "ua"},
      {"Ex Fail Un",
          [] {
            world w = calling({"plain"}, asking_about_failures());
            w.finish_tool(0, true, false);
            return w;
          },
          "", "wait for the verdict on plain", "", "ua"},
      {"Ex Un Rs: run it again",
          [] {
            world w = calling({"asking"});
            w.crash();
            judge(w, 0, verdict::rerun);
            return w;
          },
          "tool.uncertain", "wait for the verdict on asking", "", "ua"},
      {"Ex Un Rs: leave it",
          [] {
            world w = calling({"asking"});
            w.crash();
            judge(w, 0, verdict::abandon);
            return w;
          },
          asked_anew, "ask the model", asked_anew, "uat"},
      {"Ex of a client's tool", [] { return calling({"remote"}); }, "", "wait for the client of remote", "",
          "ua"},
      {"Ex of ours, and behind it a client's",
          [] {
            return calling({"plain", "remote"});
          },
          "tool.receipt tool.result", "wait for the client of remote", "", "uat"},
      {"Ex of a client's, and behind it ours",
          [] {
            return calling({"remote", "plain"});
          },
          "tool.receipt", "wait for the client of remote", "", "ua"},
  };
}

// What the kernel's table lacks: our runs can be aborted, parked and closed, and contexts compacted.
std::vector<row> rows_of_endings() {
  const std::string end = " turn.finished run.finished";
  return {
      {"aborted in an answer",
          [] {
            world w = answering();
            half_an_answer(w, {text_block{"So."}});
            w.apply(abort_run{"user"});
            return w;
          },
          "inference.finished" + end, "nothing", "", "ua"},
      {"aborted behind a call's block",
          [] {
            world w = answering();
            half_an_answer(w, {call_of("plain", "c")});
            w.apply(abort_run{"user"});
            return w;
          },
          "inference.finished tool.result" + end, "nothing", "", "uat"},
      {"aborted while calls run, ask, and wait to begin",
          [] {
            world w = calling({"durable", "gated", "plain"}, one_by_one());
            w.apply(abort_run{"user"});
            return w;
          },
          "tool.receipt permission.expired tool.receipt tool.receipt tool.result tool.result tool.result"
              + end,
          "nothing", "", "uattt"},
      {"aborted while a call is uncertain",
          [] {
            world w = calling({"asking"});
            w.crash();
            w.apply(abort_run{"user"});
            return w;
          },
          "tool.receipt tool.result" + end, "nothing", "", "uat"},
      {"parked in an answer",
          [] {
            world w = answering();
            w.park();
            return w;
          },
          "", "nothing", "", "u"},
      {"closing while a call runs",
          [] {
            world w = calling({"durable"});
            w.apply(close_session{});
            return w;
          },
          "tool.started", "abort by close", "tool.started", "ua"},
      {"closing, and the run aborted",
          [] {
            world w = calling({"durable"});
            w.apply(close_session{});
            w.apply(abort_run{"close"});
            return w;
          },
          "tool.receipt tool.result" + end, "be closed", "", "uat"},
      {"a compaction is open",
          [] {
            world w = answering();
            w.answer("end_turn", {text_block{"Hi."}});
            return with(w, compaction_started{"k", "summarize", 3, "requested"});
          },
          "compaction.failed", "nothing", "", "ua"},
  };
}

std::string appended_since(const world& w, std::size_t before) {
  return types_of(std::span(w.log()).subspan(before));
}

void check(const row& row) {
  BOOST_TEST_CONTEXT(row.where) {
    const world reached = row.come_there();
    world w = world::of(reached, reached.log());
    BOOST_TEST(!w.apply(recover{"crash"}));
    BOOST_TEST(appended_since(w, reached.log().size()) == row.recovery);
    BOOST_TEST(next_of(w) == row.next);
    BOOST_TEST(shown_to_model(w) == row.context);
    BOOST_TEST(session::to_json(session::project(w.log())) == session::to_json(w.now().context.messages()));

    world twice = world::of(w, w.log()); // the process died in its recovery, right behind the append
    BOOST_TEST(!twice.apply(recover{"crash"}));
    BOOST_TEST(appended_since(twice, w.log().size()) == row.again);
    if (row.next.starts_with("run durable"))
      BOOST_TEST(next_of(twice) == "run durable 3" + row.next.substr(13));
    else
      BOOST_TEST(next_of(twice) == row.next);
    BOOST_TEST(shown_to_model(twice) == row.context);

    for (world* const one : {&w, &twice}) {
      one->settle();
      one->drive_to_idle();
      const auto breach = testing::log_breach(one->log(), world::durable_tools());
      BOOST_TEST(!breach, breach.value_or(""));
    }
  }
}

} // namespace

BOOST_AUTO_TEST_CASE(wherever_an_answer_was_cut_off_the_model_is_asked_once_more_or_not_at_all) {
  for (const auto& row : rows_of_answers())
    check(row);
}

BOOST_AUTO_TEST_CASE(a_permission_is_neither_lost_nor_asked_for_twice) {
  for (const auto& row : rows_of_permissions())
    check(row);
}

BOOST_AUTO_TEST_CASE(a_call_that_was_begun_is_done_again_only_if_that_is_safe_or_said) {
  for (const auto& row : rows_of_executions())
    check(row);
}

BOOST_AUTO_TEST_CASE(what_was_ending_ends) {
  for (const auto& row : rows_of_endings())
    check(row);
}

// The ask keeps its id, so that whoever was shown it can still answer it.
BOOST_AUTO_TEST_CASE(an_ask_is_the_same_one_afterwards) {
  world w = calling({"gated"});
  const auto asked = w.now().calls.at(0).decision_id;
  w.crash();
  BOOST_TEST(w.now().calls.at(0).decision_id == asked);
  BOOST_TEST(testing::count<permission_requested>(w) == 1U);
  decide(w, 0, true);
  BOOST_TEST(testing::count<tool_started>(w) == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
