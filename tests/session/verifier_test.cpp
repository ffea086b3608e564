// A log that was altered is found out, wherever and however, and the place is named.
#include "session/replay/verifier.hpp"

#include "messages/event_codec.hpp"
#include "tests/support/world.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>

using namespace troupe;
using testing::world;

BOOST_AUTO_TEST_SUITE(verification)

namespace {

using log = std::vector<recorded_event>;

/// A run with two calls at once and an answer behind them, then another question.
log recorded_run() {
  world w;
  const auto say = [&](const std::string& id) {
    w.apply(accept_message{
        id, delivery::send, content("Hello " + id), std::nullopt, std::nullopt, std::nullopt, "client"});
    w.settle();
  };
  say("m1");
  w.answer("tool_use", {testing::call_of("plain", "a"), testing::call_of("durable", "b")});
  w.finish_tool(0, false, false);
  w.finish_tool(0, true, false);
  w.answer("end_turn", {text_block{"Done."}});
  say("m2");
  w.answer("end_turn", {text_block{"Bye."}});
  log out;
  for (const auto& append : w.appends())
    for (std::size_t i = 0; i < append.events; ++i) {
      const auto& happened = w.log()[append.log_before + i];
      out.push_back({happened.seq, w.log()[append.log_before].seq, kind_of(append.what),
          std::string(type_name(happened.data)), 1, happened.at, happened.run_id, encode(happened.data)});
    }
  return out;
}

struct verified {
  std::optional<session::difference> first_difference;
  std::int64_t good = 0;
  std::string chain;
};

verified verify(const log& events) {
  session::verifier all;
  verified out;
  for (std::size_t first = 0; first < events.size() && !out.first_difference;) {
    std::size_t last = first + 1;
    while (last < events.size() && events[last].append_seq == events[first].append_seq)
      ++last;
    out.first_difference = all.take(std::span(events).subspan(first, last - first));
    first = last;
  }
  out.good = all.now().head;
  out.chain = all.chain();
  return out;
}

recorded_event& nth(log& events, std::string_view type, std::size_t n = 0) {
  for (auto& event : events)
    if (event.type == type && n-- == 0)
      return event;
  throw std::runtime_error("no such event");
}

void replace(std::string& in, const std::string& what, const std::string& with) {
  const auto at = in.find(what);
  BOOST_REQUIRE(at != std::string::npos);
  in.replace(at, what.size(), with);
}

/// One way to spoil a log, the event that is blamed, and what is said of it.
struct corruption {
  const char* name;
  std::function<void(log&)> spoil;
  std::function<std::int64_t(log&)> blamed;
  const char* said;
};

auto first_of(const char* type, std::size_t n = 0) {
  return [=](log& events) { return nth(events, type, n).seq; };
}

const std::vector<corruption> corruptions{
    {"an event is missing", [](log& l) { l.erase(l.begin() + 4); }, [](log&) { return std::int64_t{5}; },
        "event 5"},
    {"an event is there twice", [](log& l) { l.insert(l.begin() + 4, l[4]); },
        [](log&) { return std::int64_t{6}; }, "event 6"},
    {"two events have changed places", [](log& l) { std::swap(l[2], l[3]); },
        [](log&) { return std::int64_t{3}; }, "event 3"},
    {"the user said something else",
        [](log& l) { replace(nth(l, "message.queued").payload, "Hello", "Hullo"); },
        first_of("inference.started"), "inference.started"},
    {"the model called another tool",
        [](log& l) { replace(nth(l, "assistant.block").payload, "plain", "other"); },
        first_of("tools.requested"), "tools.requested"},
    {"a tool gave something else",
        [](log& l) { replace(nth(l, "tool.receipt").payload, "\"is_error\":false", "\"is_error\":true"); },
        first_of("inference.started", 1), "inference.started"},
    {"a result belongs to another call",
        [](log& l) { replace(nth(l, "tool.result").payload, "\"index\":0", "\"index\":1"); },
        first_of("tool.result"), "tool.result"},
    {"the run ended otherwise",
        [](log& l) { replace(nth(l, "run.finished").payload, "completed", "max_turns"); },
        first_of("run.finished"), "run.finished"},
    {"an event has another run", [](log& l) { nth(l, "turn.finished").run_id = "another"; },
        first_of("turn.finished"), "run another"},
    {"time goes back", [](log& l) { nth(l, "run.finished").at.microseconds -= 1; }, first_of("run.finished"),
        "at "},
    {"the append came from another command",
        [](log& l) {
          for (auto& event : l)
            if (event.append_seq == nth(l, "tool.receipt").append_seq)
              event.command = command_kind::abort;
        },
        first_of("tool.receipt"), "command 10"},
    {"an append was torn in two",
        [](log& l) {
          for (auto& event : l)
            if (event.append_seq == nth(l, "run.started").append_seq
                && event.seq > nth(l, "turn.started").seq)
              event.append_seq = nth(l, "turn.started").seq + 1;
        },
        [](log& l) { return nth(l, "turn.started").seq + 1; }, ""},
    {"a payload is no JSON", [](log& l) { nth(l, "turn.started").payload = "{\"turn\":"; },
        first_of("turn.started"), "{\"turn\":"},
    {"a payload has more than its form",
        [](log& l) { replace(nth(l, "turn.started").payload, "}", ",\"more\":2}"); },
        first_of("turn.started"), "more"},
    {"a payload names a key twice",
        [](log& l) { replace(nth(l, "turn.started").payload, "{", "{\"turn\":2,"); },
        first_of("turn.started"), "\"turn\":2"},
    {"it begins with a park",
        [](log& l) {
          l.front().command = command_kind::park;
          l.front().type = "session.parked";
          l.front().payload = "{\"reason\":\"made up\"}";
        },
        [](log&) { return std::int64_t{1}; }, "session.parked alone"},
    {"a type isn't known", [](log& l) { nth(l, "turn.started").type = "turn.begun"; },
        first_of("turn.started"), "turn.begun"},
};

} // namespace

BOOST_AUTO_TEST_CASE(a_log_that_nobody_touched_is_good) {
  const auto found = verify(recorded_run());
  BOOST_TEST(!found.first_difference);
  BOOST_TEST(found.good == static_cast<std::int64_t>(recorded_run().size()));
  BOOST_TEST(found.chain.size() == 32U);
}

BOOST_AUTO_TEST_CASE(each_corruption_is_found_and_named) {
  for (const auto& one : corruptions) {
    log events = recorded_run();
    const auto blamed = one.blamed(events);
    one.spoil(events);
    const auto found = verify(events);
    BOOST_REQUIRE_MESSAGE(found.first_difference, one.name << " is not found");
    BOOST_TEST(found.first_difference->seq == blamed,
        one.name << ": event " << found.first_difference->seq << " is blamed: "
                 << found.first_difference->expected << " was " << found.first_difference->found);
    BOOST_TEST((found.first_difference->expected + found.first_difference->found).find(one.said)
            != std::string::npos,
        one.name << ": " << found.first_difference->expected << " was " << found.first_difference->found);
    BOOST_TEST(found.good < blamed, one.name);
  }
}

BOOST_AUTO_TEST_CASE(what_no_decision_depends_on_changes_the_chain) {
  log events = recorded_run();
  const auto before = verify(events);
  replace(events.back().payload, "completed", "completed"); // nothing
  BOOST_TEST((verify(events).chain == before.chain));
  for (auto event = events.rbegin(); event != events.rend(); ++event)
    if (event->type == "assistant.block") {
      replace(event->payload, "Bye.", "Boo.");
      break;
    }
  const auto after = verify(events);
  BOOST_TEST(!after.first_difference);
  BOOST_TEST((after.chain != before.chain));
}

BOOST_AUTO_TEST_SUITE_END()
