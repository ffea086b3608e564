// Nodes over PostgreSQL that die right before or right behind an append: one row each, with all that may be
// seen of it afterwards. What dies commits nothing more, tells nobody anything, and lets go of nothing.
//
// The cells are those of a kernel whose log grows by single events: P the message, M the model, T a tool, H a
// person, R the repair itself, A/B before and behind a turn's commit, C the barriers between calls. Of these
// are the same for us, because one append holds both:
//   - H1, before the ask is committed, is A; and behind it is behind the turn's commit with an ask in it;
//   - what follows a person's yes at once (`tool.started`) is committed with it: H3 behind it is T2;
//   - a receipt's result, and the next question behind a whole batch: T3 behind it is M2 of the next
//   inference.
#include "tests/actors/dying_journal.hpp"
#include "tests/actors/stage.hpp"

#include "messages/event_codec.hpp"
#include "tests/persistence/worlds.hpp"
#include "tests/support/log_rules.hpp"
#include "tests/support/verified.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(crash_matrix)

namespace {

struct dies {
  moment when;
  const char* at; ///< the type of an event in the append
  std::size_t nth = 1;
};

/// Which calls the model makes, and how they stand to each other.
enum class scene {
  answer,
  call,
  durable_call,
  asked_call,
  two_calls,
  shared_then_exclusive,
  call_then_asked
};

struct cell {
  const char* name;
  scene where;
  std::vector<dies> lives; ///< the deaths, one after the other; the life behind them is a whole one
  // all lives together:
  std::size_t requests; ///< that the model got
  std::size_t ran_a;    ///< how often the tools really ran
  std::size_t ran_b;
  std::size_t voided;
  const char* results; ///< the outcomes of the receipts, by call
};

constexpr auto before = moment::before;
constexpr auto after = moment::after;

const std::vector<cell> cells{
    {"P1: the message isn't there, and is sent again", scene::answer, {{before, "message.queued"}}, 1, 0, 0,
        0, ""},
    {"P2: it is there though nobody was told", scene::answer, {{after, "message.queued"}}, 1, 0, 0, 0, ""},
    {"M1: the question isn't there", scene::answer, {{before, "inference.started"}}, 1, 0, 0, 0, ""},
    {"M2: it is there and wasn't asked", scene::answer, {{after, "inference.started"}}, 1, 0, 0, 1, ""},
    {"M3: it was answered, and the answer is lost", scene::answer, {{before, "inference.finished"}}, 2, 0, 0,
        1, ""},
    {"M4: the answer is there", scene::answer, {{after, "inference.finished"}}, 1, 0, 0, 0, ""},
    {"A: the turn isn't committed, so its calls never ran", scene::call, {{before, "tools.requested"}}, 3, 1,
        0, 1, "completed"},
    {"B: the turn is committed, and its calls run", scene::call, {{after, "tools.requested"}}, 2, 1, 0, 0,
        "completed"},
    {"T1: the call isn't begun", scene::call, {{before, "tool.started"}}, 2, 1, 0, 0, "completed"},
    {"T2: it is begun, and nobody knows more", scene::call, {{after, "tool.started"}}, 2, 0, 0, 0, "unknown"},
    {"T2 of a durable tool: it runs", scene::durable_call, {{after, "tool.started"}}, 2, 1, 0, 0,
        "completed"},
    {"T3: it ran, and its receipt is lost", scene::call, {{before, "tool.receipt"}}, 2, 1, 0, 0, "unknown"},
    {"T3 of a durable tool: it runs again", scene::durable_call, {{before, "tool.receipt"}}, 2, 2, 0, 0,
        "completed"},
    {"T4: its receipt is there, and the next question with it", scene::call, {{after, "tool.receipt"}}, 2, 1,
        0, 1, "completed"},
    {"H2: the ask is there", scene::asked_call, {{after, "permission.requested"}}, 2, 1, 0, 0, "completed"},
    {"H3: the yes isn't there, and is said again", scene::asked_call, {{before, "permission.decided"}}, 2, 1,
        0, 0, "completed"},
    {"H3: the yes is there, and the call begun with it", scene::asked_call, {{after, "permission.decided"}},
        2, 0, 0, 0, "unknown"},
    {"R1: before the repair of an answer", scene::answer,
        {{after, "inference.started"}, {before, "output.voided"}}, 1, 0, 0, 1, ""},
    {"R2: behind the repair of an answer", scene::answer,
        {{after, "inference.started"}, {after, "output.voided"}}, 1, 0, 0, 2, ""},
    {"R1 of a call", scene::call, {{before, "tool.receipt"}, {before, "tool.receipt"}}, 2, 1, 0, 0,
        "unknown"},
    {"R2 of a call", scene::call, {{before, "tool.receipt"}, {after, "tool.receipt"}}, 2, 1, 0, 1, "unknown"},
    {"C1: one of two has its receipt, the other ran", scene::two_calls, {{before, "tool.receipt", 2}}, 2, 1,
        1, 0, "completed unknown"},
    {"C2: what runs alone isn't begun before what was there", scene::shared_then_exclusive,
        {{before, "tool.started", 2}}, 2, 1, 1, 0, "completed completed"},
    {"C2: it is begun", scene::shared_then_exclusive, {{after, "tool.started", 2}}, 2, 1, 0, 0,
        "completed unknown"},
    {"C3: an ask is held while a call beside it ends", scene::call_then_asked, {{after, "tool.receipt"}}, 2,
        1, 1, 0, "completed completed"},
    {"C3: its yes comes with the other's receipt lost", scene::call_then_asked, {{before, "tool.receipt"}}, 2,
        1, 1, 0, "unknown completed"},
};

// -- the scenes ------------------------------------------------------------------------------------

std::string rules_of(scene where) {
  std::string calls = hold_call("a", where == scene::durable_call ? "lasting" : "hold");
  if (where == scene::two_calls)
    calls += "," + hold_call("b");
  if (where == scene::shared_then_exclusive)
    calls = hold_call("a", "lasting") + "," + hold_call("b");
  if (where == scene::call_then_asked)
    calls += "," + hold_call("b", "lasting");
  if (where == scene::answer)
    return R"({"reply":[{"text":"Fine."}]})";
  return R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]})"
         "\n{\"reply\":["
      + calls + "]}";
}

options wanted_in(scene where) {
  return stage::options_of("s", [&](options& wanted) {
    if (where == scene::asked_call)
      wanted.permissions = std::vector<permission_rule>{{"hold", permission::ask, std::nullopt}};
    if (where == scene::call_then_asked)
      wanted.permissions = std::vector<permission_rule>{{"lasting", permission::ask, std::nullopt}};
    if (where == scene::shared_then_exclusive)
      wanted.tool_execution = execution_mode::batched;
  });
}

/// One cell's place: a database, and nodes on it that come and go.
class place {
 public:
  explicit place(const cell& what)
      : what_(what), play_(rules_of(what.where), make_hold(lasting_, [](tools::tool_spec& spec) {
          spec.name = "lasting";
          spec.durable = spec.shared = true;
        })) {
    play_.close_first(); // that one is over memory
    for (auto* const gates : {&play_.gates, &lasting_})
      gates->open("a");
  }

  void live_and_die(const dies& how) {
    const auto end = std::make_shared<death>(how.when, how.at, how.nth);
    auto who = persistence::this_process("mortal");
    who.start_ticks += 1; // as of a process that is no more
    const auto node = start(who, [&](auto journal) { return make_dying_journal(std::move(journal), end); });
    act(*node, [&] { return end->has_come(); });
    BOOST_TEST(end->wait(), "it never comes to " << how.at);
  }

  void live_on() {
    const auto node = start(persistence::this_process("heir"), [](auto journal) { return journal; });
    bool idle = false;
    act(
        *node, [&] { return idle; }, &idle);
  }

  void judge() {
    const auto events = log();
    const auto row = testing::must(reader_->find(1, "s"));
    BOOST_TEST(testing::difference_in(*reader_, row) == "");
    BOOST_TEST(log_breach(events, {"lasting"}).value_or("") == "");
    BOOST_TEST(all_of<message_queued>(events).size() == 1U);
    BOOST_TEST(all_of<run_finished>(events).size() == 1U);
    BOOST_TEST((all_of<run_finished>(events).at(0).outcome.kind == run_outcome_kind::completed));
    BOOST_TEST(all_of<output_voided>(events).size() == what_.voided);
    BOOST_TEST(all_of<permission_requested>(events).size() <= 1U);
    BOOST_TEST(all_of<permission_decided>(events).size() <= 1U);
    BOOST_TEST(outcomes(events) == what_.results);
    const std::string requests = play_.gym->requests();
    const auto asked = testing::must(json::parse(requests));
    BOOST_TEST(asked.items().size() == what_.requests);
    BOOST_TEST(play_.gates.begun("a") + lasting_.begun("a") == what_.ran_a);
    BOOST_TEST(play_.gates.begun("b") + lasting_.begun("b") == what_.ran_b);
  }

 private:
  using wrapping =
      std::function<std::shared_ptr<persistence::journal>(std::shared_ptr<persistence::journal>)>;

  std::unique_ptr<actors::node> start(persistence::node_identity who, const wrapping& wrap) {
    return play_.start("s", [&](actors::node_settings& settings) {
      settings.identity = std::move(who);
      settings.open_journal = [this, wrap]() -> result<std::shared_ptr<persistence::journal>> {
        return wrap(std::shared_ptr<persistence::journal>(world_.open()));
      };
    });
  }

  /// Sends the message, also once more, and answers what is asked, until it is over.
  void act(actors::node& node, const std::function<bool()>& is_over, bool* idle = nullptr) {
    auto session = node.open(wanted_in(what_.where), actors::opening::either);
    if (!session)
      return;
    (void)session->post(text_message("Do it", "m1"));
    while (!is_over()) {
      open_the_gate_of_b();
      const auto seen = session->wait(true, std::chrono::milliseconds(20));
      if (!seen || !*seen)
        continue;
      const auto& now = ***seen;
      for (const auto& call : now.calls)
        if (call.phase == session::call_phase::asking && may_be_said(now))
          (void)session->order(decide_permission{call.decision_id, true, "user", std::nullopt, {}});
      if (idle && session::status(now) == "idle")
        *idle = true;
    }
  }

  /// The other call ends first.
  bool may_be_said(const session::state& now) const {
    return now.calls.front().phase == session::call_phase::asking
        || now.calls.front().phase >= session::call_phase::settled;
  }
  void open_the_gate_of_b() {
    if (what_.where == scene::two_calls && all_of<tool_receipt>(log()).empty())
      return;
    play_.gates.open("b");
    lasting_.open("b");
  }

  std::vector<recorded_event> stored() {
    const auto row = reader_->find(1, "s");
    return row ? testing::must(reader_->read(row->key, 0, 100'000)) : std::vector<recorded_event>();
  }
  std::vector<event> log() {
    std::vector<event> out;
    for (const auto& one : stored())
      out.push_back(testing::must(decode(one)));
    return out;
  }
  static std::string outcomes(const std::vector<event>& log) {
    static constexpr const char* names[] = {"not_started", "completed", "failed", "aborted", "unknown"};
    std::string out;
    const auto receipts = all_of<tool_receipt>(log);
    for (const auto& batch : all_of<tools_requested>(log))
      for (const auto& call : batch.calls)
        for (const auto& receipt : receipts)
          if (receipt.execution_id == call.execution_id)
            out += (out.empty() ? "" : " ") + std::string(names[static_cast<std::size_t>(receipt.outcome)]);
    return out;
  }

  const cell& what_;
  persistence::postgres_world world_;
  std::unique_ptr<persistence::journal> reader_ = world_.open();
  gate_board lasting_;
  stage play_;
};

} // namespace

BOOST_AUTO_TEST_CASE(whichever_append_a_node_dies_at_the_next_one_goes_on_and_repeats_nothing) {
  for (const auto& cell : cells)
    BOOST_TEST_CONTEXT(cell.name) {
      place here(cell);
      for (const auto& how : cell.lives)
        here.live_and_die(how);
      here.live_on();
      here.judge();
    }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
