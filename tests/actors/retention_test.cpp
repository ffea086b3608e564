// Retention on a node: a death between what is written down and what is removed, and logs brought back.
#include "actors/append_of.hpp"
#include "actors/fleet/session_loading.hpp"
#include "actors/history/export_log.hpp"
#include "actors/history/import_log.hpp"
#include "actors/history/log_folding.hpp"
#include "actors/history/log_trimming.hpp"
#include "persistence/this_process.hpp"
#include "session/decide.hpp"
#include "session/project.hpp"
#include "session/snapshot.hpp"
#include "tests/actors/dying_journal.hpp"
#include "tests/actors/stage.hpp"
#include "tests/persistence/worlds.hpp"
#include "tests/support/snapshots.hpp"
#include "tests/support/verified.hpp"

#include <sstream>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(retention)

namespace {

const std::string fine = R"({"reply":[{"text":"Fine."}]})";

class uuids final : public id_source {
 public:
  std::string next() override { return persistence::new_uuid(); }
};

/// A session with an answer to a text that is stored by content; it has rested, and keeps its context alone
/// from here on.
struct rested {
  rested() {
    auto session = play.open("s", [](options& o) { o.instructions = large_text(std::string(10'000, 'i')); });
    say(session, "Hello " + std::string(9'000, 'x'), "m1");
    until_idle(session);
    play.close_first();
    take();
    const session::look_ups known;
    const auto changed = must(session::decide(
        *state, update_session{json::raw{R"({"retention":"context"})"}}, {state->at, ids, known}));
    must(actors::commit_decided(*log, row, *state, command_kind::update_session, changed, ids.next()));
  }
  void take() {
    must(log->heartbeat(node, 60'000));
    row = must(log->take(1, "s", node)).row;
    state = must(actors::fold_to(*log, row, row.head)).state;
  }
  result<std::vector<recorded_event>> trim(persistence::journal& by) {
    return actors::trim_log(by, row, *state, state->at, ids);
  }
  std::string whole() const {
    return testing::told(*must(actors::fold_to(*log, row, must(log->find(1, "s")).head)).state);
  }
  std::size_t events() { return play.stored("s").size(); }

  stage play{fine};
  std::shared_ptr<persistence::journal> log = persistence::make_memory_journal(play.store);
  persistence::node_identity node = persistence::this_process("other");
  persistence::session_row row;
  std::shared_ptr<session::state> state;
  uuids ids;
};

std::string exported_from(persistence::journal& log) {
  std::string out;
  must(actors::export_log(log, must(log.find(1, "s")), [&](const std::string& lines) {
    out += lines;
    return true;
  }));
  return out;
}

result<actors::imported> brought_back(persistence::journal& log, const std::string& text) {
  std::istringstream from(text);
  return actors::import_log(log, 1, persistence::this_process("importer"), from);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_log_is_whole_wherever_its_trimming_is_cut_off) {
  for (const auto when : {moment::before, moment::after}) {
    rested s;
    const auto before = s.events();
    const auto dying = make_dying_journal(s.log, std::make_shared<death>(when, "context.trimmed"));
    BOOST_TEST(!s.trim(*dying));
    BOOST_TEST(s.events() == before + (when == moment::after ? 1U : 0U));
    BOOST_TEST(s.play.wrong_with("s") == "");
    s.take(); // whoever comes next
    must(s.trim(*s.log));
    BOOST_TEST(s.events() == 1U);
    BOOST_TEST(s.play.stored("s").front().seq == static_cast<std::int64_t>(before) + 1);
    BOOST_TEST(s.play.wrong_with("s") == "");
  }
}

BOOST_AUTO_TEST_CASE(one_that_has_worked_on_meanwhile_stays_as_it_is) {
  rested s;
  auto stale = *s.state;
  must(s.trim(*s.log));
  *s.state = stale;
  const auto no = s.trim(*s.log);
  BOOST_TEST(code_of(no) == "conflict");
}

BOOST_AUTO_TEST_CASE(what_is_left_says_all_that_there_was) {
  rested s;
  const auto before = session::to_json(s.state->context.messages());
  must(s.trim(*s.log));
  const auto after = must(actors::fold_to(*s.log, s.row, s.row.head + 2)).state;
  BOOST_TEST(session::to_json(after->context.messages()) == before);
  BOOST_TEST(after->options->instructions->text == std::string(10'000, 'i'));
  // from a snapshot taken behind it, too
  s.log->keep(s.row.key, {after->head, session::snapshot_version, session::keep(*after)});
  BOOST_TEST(
      told(*must(actors::load_state(*s.log, must(s.log->take(1, "s", s.node, session::snapshot_version)))))
      == told(*after));
}

BOOST_AUTO_TEST_CASE(it_goes_out_and_in_without_what_was_removed) {
  rested s;
  must(s.trim(*s.log));
  const auto text = exported_from(*s.log);
  BOOST_TEST(text.find("m1") == std::string::npos);
  persistence::memory_world other;
  const auto log = other.open();
  const auto came = must(brought_back(*log, text));
  BOOST_TEST(came.events == 1);
  BOOST_TEST((exported_from(*log) == text));
  BOOST_TEST(difference_in(*log, must(log->find(1, "s"))) == "");
}

BOOST_AUTO_TEST_CASE(an_export_whose_beginning_was_altered_is_refused) {
  rested s;
  must(s.trim(*s.log));
  const auto text = exported_from(*s.log);
  const auto refused = [&](const std::string& what, const std::string& with) {
    auto other = text;
    const auto at = other.find(what);
    BOOST_REQUIRE_MESSAGE(at != std::string::npos, what);
    other.replace(at, what.size(), with);
    persistence::memory_world world;
    const auto log = world.open();
    const auto no = brought_back(*log, other);
    BOOST_TEST(code_of(no) == "invalid_input", what);
    BOOST_TEST(must(log->list(1, "", 10)).empty());
  };
  refused(R"("anchor":")", R"("anchor":"00)");
  refused(R"("through_seq":)", R"("through_seq":1)");
  refused(R"({\"outline\")", R"({\"Outline\")");
  refused("xxxxxxxx", "yyyyyyyy");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
