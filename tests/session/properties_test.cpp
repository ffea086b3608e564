// The invariants I-1 … I-9 over random commands, failures and a crash at every prefix.
#include "messages/event_codec.hpp"
#include "session/project.hpp"
#include "session/replay/redecide.hpp"
#include "tests/support/forks.hpp"
#include "tests/support/log_rules.hpp"
#include "tests/support/snapshots.hpp"
#include "tests/support/world.hpp"

#include <boost/test/unit_test.hpp>
#include <rapidcheck.h>

using namespace troupe;
using testing::world;

BOOST_AUTO_TEST_SUITE(properties)

namespace {

struct step {
  int kind = 0;
  int argument = 0;
};
void showValue(const step& s, std::ostream& out) { out << s.kind << '/' << s.argument; }

std::vector<block> some_calls(int argument) {
  static const std::vector<std::string> names{"plain", "durable", "asking", "gated", "serial", "keyed",
      "unknown", "remote", "remote_again", "remote_asking"};
  std::vector<block> blocks;
  if (argument % 2)
    blocks.push_back(text_block{"Let me see."});
  for (int i = 0; i <= argument % 3; ++i)
    blocks.push_back(testing::call_of(names[static_cast<std::size_t>(argument / 3 + i * 7) % names.size()],
        argument % 5 ? "c" + std::to_string(i) : ""));
  return blocks;
}

void answer_person(world& w, int argument) {
  const auto calls = w.now().calls;
  for (const auto& call : calls) {
    if (call.phase == session::call_phase::asking)
      w.apply(decide_permission{call.decision_id, argument % 2 == 0, "user", "Because.", std::nullopt});
    if (call.phase == session::call_phase::uncertain)
      w.apply(give_verdict{
          call.execution_id, argument % 2 ? verdict::rerun : verdict::abandon, "user", std::nullopt});
  }
  w.settle();
}

// Answers that belong to nothing that is open: they may change nothing.
void late_answers(world& w) {
  const auto head = w.now().head;
  for (const auto& event : w.log()) {
    if (const auto* const started = std::get_if<inference_started>(&event.data))
      if (!w.now().inference || !w.now().inference->open
          || w.now().inference->data->inference_id != started->inference_id) {
        inference_answer late;
        late.finish.inference_id = started->inference_id;
        late.finish.stop = "end_turn";
        late.blocks = {text_block{"Too late."}};
        w.apply(late);
        w.apply(block_finished{started->inference_id, {text_block{"Too late."}}});
      }
    if (const auto* const begun = std::get_if<tool_started>(&event.data)) {
      const auto* const call = w.now().find_call(begun->execution_id);
      if (!call || call->phase != session::call_phase::running || call->attempt != begun->attempt)
        w.apply(tool_answer{begun->execution_id, begun->attempt, tool_outcome::completed, content("late"),
            false, std::nullopt, std::nullopt, false, std::nullopt});
    }
  }
  RC_ASSERT(w.now().head == head);
}

void perform(world& w, const step& s, int number) {
  const std::string id = "m" + std::to_string(number);
  message_settings settings;
  if (s.argument % 7 == 0)
    settings.effort = "high";
  if (s.argument % 11 == 0)
    settings.provider = "other";
  switch (s.kind) {
  case 0:
  case 1:
    w.apply(accept_message{id, s.kind ? delivery::steer : delivery::send, content("Hello " + id),
        std::nullopt, settings, std::nullopt, "client"});
    w.settle();
    break;
  case 2:
    w.answer("end_turn", {text_block{"Hi."}});
    break;
  case 3:
  case 4:
    w.answer("tool_use", some_calls(s.argument));
    break;
  case 5:
    w.fail_answer("Overloaded");
    break;
  case 6:
    w.answer(s.argument % 2 ? "max_tokens" : "refusal", some_calls(s.argument));
    break;
  case 7:
    if (w.now().inference && w.now().inference->open)
      w.apply(block_finished{w.now().inference->data->inference_id, some_calls(s.argument)});
    break;
  case 8:
  case 9:
    w.finish_tool(static_cast<std::size_t>(s.argument), s.argument % 4 == 0, s.argument % 3 == 0);
    break;
  case 10:
    w.apply(abort_run{"user"});
    w.settle();
    break;
  case 11:
    w.crash();
    break;
  case 12:
    answer_person(w, s.argument);
    break;
  case 13:
    w.apply(s.argument % 2 ? command(start{}) : command(continue_run{}));
    w.settle();
    break;
  case 14:
    w.apply(withdraw{s.argument % 2 ? std::optional(delivery::send) : std::nullopt, "client"});
    break;
  case 15:
    w.bring_result(static_cast<std::size_t>(s.argument), s.argument % 3 == 0);
    break;
  case 16:
    w.let_time_pass();
    break;
  case 18:
    if (s.argument % 9 == 0) // seldom: it ends everything
      w.apply(close_session{});
    else
      w.apply(reset_context{s.argument % 2 ? std::optional<std::string>("Before: much.") : std::nullopt});
    w.settle();
    break;
  case 19:
    w.compaction_wanted = s.argument % 2 == 0;
    w.apply(compact{});
    w.settle();
    break;
  case 20:
    w.end_compaction(s.argument % 3 == 0);
    break;
  case 21:
    w.fail_for_length();
    break;
  case 22:
    w.apply(trim{std::string(64, 'a')});
    break;
  case 17:
    w.apply(update_session{json::raw{R"({"max_turns":)" + std::to_string(s.argument % 4) + "}"}});
    break;
  default:
    late_answers(w);
  }
}

rc::Gen<std::vector<step>> steps() {
  return rc::gen::container<std::vector<step>>(
      rc::gen::construct<step>(rc::gen::inRange(0, 24), rc::gen::inRange(0, 60)));
}

options random_options() {
  options o;
  o.steering_mode = *rc::gen::element(queue_mode::one_at_a_time, queue_mode::all);
  o.send_mode = *rc::gen::element(queue_mode::one_at_a_time, queue_mode::all);
  o.tool_execution =
      *rc::gen::element(execution_mode::parallel, execution_mode::sequential, execution_mode::batched);
  o.max_turns = *rc::gen::element(0, 0, 2, 5);
  if (*rc::gen::element(false, true, true))
    o.compaction = compaction_options{
        *rc::gen::element(compaction_strategy::summarize, compaction_strategy::clear_tool_results),
        *rc::gen::element<std::optional<std::int64_t>>(std::nullopt, 40, 90), *rc::gen::element(1, 2)};
  if (*rc::gen::element(false, false, true))
    o.output_limit = output_bounds{*rc::gen::element<std::optional<std::int64_t>>(std::nullopt, 3, 6),
        *rc::gen::element<std::optional<std::int64_t>>(std::nullopt, 40)};
  o.retention = *rc::gen::element<std::string>("log", "context");
  o.on_failed_effect = *rc::gen::element<std::string>("record", "ask");
  return o;
}

world random_world() {
  world w(random_options());
  w.known.can_ask = *rc::gen::element(true, true, false);
  for (auto& [name, fact] : w.known.tool_facts) {
    fact.shared = *rc::gen::arbitrary<bool>();
    fact.clearable = *rc::gen::arbitrary<bool>();
  }
  int number = 0;
  for (const auto& s : *steps())
    perform(w, s, number++);
  return w;
}

void keeps_the_rules(const world& w) {
  if (const auto breach = testing::log_breach(w.log(), world::durable_tools()))
    RC_FAIL(*breach);
}

void check(const char* name, const std::function<void()>& property) {
  // shrinking and counts by RC_PARAMS; a failure prints the steps that lead to it
  BOOST_TEST(rc::check(name, property));
}

} // namespace

BOOST_AUTO_TEST_CASE(every_log_keeps_the_rules) {
  check("I-1 to I-7 hold after any commands", [] { keeps_the_rules(random_world()); });
}

BOOST_AUTO_TEST_CASE(every_prefix_recovers_and_comes_to_rest) {
  check("I-8: a crash between any two appends", [] {
    const world w = random_world();
    for (const auto& append : w.appends()) {
      if (append.log_before == 0)
        continue;
      world recovered = world::from(w, append.log_before);
      keeps_the_rules(recovered);
      recovered.drive_to_idle();
      keeps_the_rules(recovered);
      const auto status = session::status(recovered.now());
      RC_ASSERT(status == "idle" || status == "failed" || status == "closed");
    }
  });
}

BOOST_AUTO_TEST_CASE(no_accepted_message_is_lost) {
  check("I-2: what was accepted is consumed, withdrawn or queued", [] {
    world w = random_world();
    w.crash();
    w.drive_to_idle();
    std::set<std::string> queued, gone;
    for (const auto& event : w.log()) {
      if (const auto* const it = std::get_if<message_queued>(&event.data))
        queued.insert(it->message_id);
      if (const auto* const it = std::get_if<messages_consumed>(&event.data))
        gone.insert(it->message_ids.begin(), it->message_ids.end());
      if (const auto* const it = std::get_if<message_withdrawn>(&event.data))
        gone.insert(it->message_ids.begin(), it->message_ids.end());
    }
    RC_ASSERT(queued.size() - gone.size() == w.now().steer.size() + w.now().sends.size());
    if (w.now().has_queued() && !w.now().parked && !w.now().closed)
      RC_ASSERT(w.now().held);
  });
}

BOOST_AUTO_TEST_CASE(a_decision_made_again_gives_the_same_events) {
  check("I-9: re-executing the decisions", [] {
    const world w = random_world();
    session::state before;
    for (const auto& append : w.appends()) {
      testing::counting_ids ids;
      ids.given = append.ids_before;
      auto in = w.inputs(ids, append.at);
      in.compaction_wanted = append.compaction_wanted;
      const auto again = session::decide(before, append.what, in);
      RC_ASSERT(again.has_value());
      RC_ASSERT(again->size() == append.events);
      for (std::size_t i = 0; i < append.events; ++i) {
        RC_ASSERT((*again)[i] == w.log()[append.log_before + i]);
        session::evolve(before, w.log()[append.log_before + i]);
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(every_append_is_decided_again_from_the_log_alone) {
  check("I-9: the commands are found in the events", [] {
    const world w = random_world();
    session::state before;
    for (const auto& append : w.appends()) {
      const std::span<const event> events(w.log().data() + append.log_before, append.events);
      if (const auto other = session::redecided_difference(kind_of(append.what), before, events))
        RC_FAIL("event " + std::to_string(other->seq) + ": " + other->expected + " was " + other->found);
      for (const auto& event : events)
        session::evolve(before, event);
    }
  });
}

BOOST_AUTO_TEST_CASE(an_append_that_is_cut_short_is_decided_again_as_far_as_it_goes) {
  check("I-9: the beginnings of appends", [] {
    const world w = random_world();
    session::state before;
    for (const auto& append : w.appends()) {
      const std::span<const event> events(w.log().data() + append.log_before, append.events);
      for (std::size_t length = 1; length < events.size(); ++length)
        if (const auto other =
                session::redecided_difference(kind_of(append.what), before, events.first(length), true))
          RC_FAIL("event " + std::to_string(other->seq) + ": " + other->expected + " was " + other->found);
      for (const auto& event : events)
        session::evolve(before, event);
    }
  });
}

BOOST_AUTO_TEST_CASE(every_event_of_a_log_is_a_cut) {
  check("D-35: a fork anywhere is idle and whole", [] {
    const world w = random_world();
    for (const auto& cut : w.log()) {
      const auto breach = testing::fork_breach(testing::fork_at(w.log(), cut.seq));
      if (!breach.empty())
        RC_FAIL("at event " + std::to_string(cut.seq) + ": " + breach);
    }
  });
}

BOOST_AUTO_TEST_CASE(every_log_is_folded_on_from_wherever_it_rests) {
  check("state by snapshot and tail = state by the whole log", [] {
    if (const auto breach = testing::snapshot_breach(random_world().log()))
      RC_FAIL(*breach);
  });
}

BOOST_AUTO_TEST_CASE(a_log_goes_on_from_where_its_beginning_was_removed) {
  check("what retention leaves says all that was removed", [] {
    const world w = random_world();
    const auto whole = testing::told(session::fold(w.log()));
    for (const auto& append : w.appends()) {
      if (!std::holds_alternative<trim>(append.what))
        continue;
      const std::span<const event> left = std::span(w.log()).subspan(append.log_before);
      RC_ASSERT(testing::told(session::fold(left)) == whole);
      if (const auto breach = testing::snapshot_breach(left))
        RC_FAIL(*breach);
    }
  });
}

BOOST_AUTO_TEST_CASE(every_event_comes_back_from_its_payload) {
  check("the codec loses nothing", [] {
    const world w = random_world();
    for (const auto& event : w.log()) {
      const std::string payload = encode(event.data);
      const auto back = decode(type_name(event.data), 1, payload);
      RC_ASSERT(back.has_value());
      RC_ASSERT(*back == event.data);
      RC_ASSERT(encode(*back) == payload);
    }
  });
}

BOOST_AUTO_TEST_CASE(live_and_replayed_context_are_the_same_bytes) {
  check("I-9: the context after a crash", [] {
    const world w = random_world();
    RC_ASSERT(session::to_json(session::project(w.log())) == session::to_json(w.now().context.messages()));
  });
}

BOOST_AUTO_TEST_SUITE_END()
