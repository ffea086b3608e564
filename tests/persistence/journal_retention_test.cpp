// The contract of retention: the beginning of a log goes, what is behind it and what was claimed stays.
#include "tests/persistence/worlds.hpp"

#include "messages/digest.hpp"

namespace troupe::persistence {

using worlds = std::tuple<memory_world, postgres_world>;

BOOST_AUTO_TEST_SUITE(journal_retention)

namespace {

blob stored(const std::string& text) {
  const std::string content = text + std::string(9'000, '.');
  return {content_name(std::string_view(content)), content};
}

std::string reference_to(const blob& it) {
  return R"({"blob":")" + it.name + R"(","bytes":)" + std::to_string(it.content.size()) + "}";
}

/// A log of three events and what it goes on from behind them: `kept` is named in that, `lost` isn't.
template <class World> struct trimmed_session {
  trimmed_session() {
    must(log->heartbeat(node, 60'000));
    row = must(log->create(1, "demo", node));
    commit_one(*log, append_to(row, 0, {R"({"n":1})"}));
    auto holding = append_to(row, 1,
        {R"({"kept":)" + reference_to(kept) + R"(,"lost":)" + reference_to(lost) + "}", R"({"n":3})"});
    holding.blobs = {kept, lost};
    holding.claims = {"m2"};
    commit_one(*log, holding);
    log->keep(row.key, {3, 7, "folded"});
    trim(row, 3);
  }

  /// Appends what a log goes on from whose head is `head`, and gives its chain there.
  void trim(const session_row& session, std::int64_t head) {
    state.content = R"({"context":[)" + reference_to(kept) + "]}";
    state.name = content_name(std::string_view(state.content));
    auto what = append_to(session, head, {});
    what.command = command_kind::trim;
    what.events = {drafted("context.trimmed",
        R"({"through_seq":)" + std::to_string(head) + R"(,"anchor":")"
            + hex(must(log->head(session.key)).chain) + R"(","state":)" + reference_to(state) + "}")};
    what.blobs = {state};
    commit_one(*log, what);
  }

  bool has(const blob& it) { return must(log->blobs(1, {it.name})).contains(it.name); }

  World world;
  std::unique_ptr<journal> log = world.open();
  node_identity node = this_process("one");
  session_row row;
  blob kept = stored("kept");
  blob lost = stored("lost");
  blob state;
};

} // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(the_beginning_goes_and_the_rest_is_as_it_was, World, worlds) {
  trimmed_session<World> s;
  const auto chain = must(s.log->head(s.row.key)).chain;
  BOOST_TEST(must(s.log->remove_through(s.row.key, s.row.epoch, 3)) == 3);
  BOOST_TEST(must(s.log->remove_through(s.row.key, s.row.epoch, 3)) == 0);
  const auto left = must(s.log->read(s.row.key, 0, 100));
  BOOST_REQUIRE(left.size() == 1U);
  BOOST_TEST(left.front().seq == 4);
  BOOST_TEST(must(s.log->find(1, "demo")).head == 4);
  BOOST_TEST((must(s.log->head(s.row.key)).chain == chain));
  commit_one(*s.log, append_to(s.row, 4, {R"({"n":5})"}));
  BOOST_TEST(must(s.log->read(s.row.key, 2, 100)).size() == 2U);
  BOOST_TEST(s.log->release(s.row.key, s.row.epoch));
  const auto taken = must(s.log->take(1, "demo", s.node, 7));
  BOOST_TEST(!taken.from); // of what isn't there any more
  BOOST_TEST(taken.events.size() == 2U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(content_goes_that_nothing_needs_any_more, World, worlds) {
  trimmed_session<World> s;
  must(s.log->remove_through(s.row.key, s.row.epoch, 3));
  BOOST_TEST(!s.has(s.lost));
  BOOST_TEST(s.has(s.kept));
  BOOST_TEST(s.has(s.state));
  BOOST_TEST((must(s.log->blob_of(s.row.key, s.kept.name)) == s.kept.content));
}

// The next owner stores content again that it had stored before the removal.
BOOST_AUTO_TEST_CASE_TEMPLATE(content_that_went_is_stored_again_when_it_is_needed_again, World, worlds) {
  trimmed_session<World> s;
  must(s.log->remove_through(s.row.key, s.row.epoch, 3));
  BOOST_TEST(s.log->release(s.row.key, s.row.epoch));
  const auto again = must(s.log->take(1, "demo", s.node)).row;
  auto holding = append_to(again, 4, {R"({"lost":)" + reference_to(s.lost) + "}"});
  holding.blobs = {s.lost};
  commit_one(*s.log, holding);
  BOOST_TEST(s.has(s.lost));
  BOOST_TEST((must(s.log->blob_of(again.key, s.lost.name)) == s.lost.content));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(what_was_claimed_in_what_went_stays_claimed, World, worlds) {
  trimmed_session<World> s;
  must(s.log->remove_through(s.row.key, s.row.epoch, 3));
  auto twice = append_to(s.row, 4, {R"({"n":5})"});
  twice.claims = {"m2"};
  const auto outcome = append_one(*s.log, twice);
  const auto* const taken = std::get_if<claim_taken>(&outcome);
  BOOST_REQUIRE(taken);
  BOOST_TEST(taken->seq == 2);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(only_whoever_holds_it_removes_anything, World, worlds) {
  trimmed_session<World> s;
  const auto again = must(s.log->take(1, "demo", s.node)).row;
  for (const auto& no : {s.log->remove_through(s.row.key, s.row.epoch, 3),
           s.log->remove_through(again.key, again.epoch, 4)}) { // the log would be empty
    BOOST_REQUIRE(!no);
    BOOST_TEST((no.error().code == problem_code::fenced));
  }
  BOOST_TEST(must(s.log->read(s.row.key, 0, 100)).size() == 4U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(what_a_fork_reads_stays, World, worlds) {
  trimmed_session<World> s;
  must(s.log->fork(
      s.row, {2, chain_of(must(s.log->read(s.row.key, 0, 2)))}, "fork", append_to({}, 2, {"{}"})));
  const auto no = s.log->remove_through(s.row.key, s.row.epoch, 3);
  BOOST_REQUIRE(!no);
  BOOST_TEST((no.error().code == problem_code::conflict));
  BOOST_TEST(must(s.log->read(s.row.key, 0, 100)).size() == 4U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(there_is_no_fork_of_what_went, World, worlds) {
  trimmed_session<World> s;
  const auto chain = chain_of(must(s.log->read(s.row.key, 0, 2)));
  must(s.log->remove_through(s.row.key, s.row.epoch, 3));
  for (const std::int64_t at : {2, 3}) {
    const auto no = s.log->fork(s.row, {at, chain}, "fork", append_to({}, at, {"{}"}));
    BOOST_REQUIRE(!no);
    BOOST_TEST((no.error().code == problem_code::not_found));
  }
  const auto fork =
      must(s.log->fork(s.row, must(s.log->head(s.row.key)), "fork", append_to({}, 4, {R"({"own":5})"})));
  must(s.log->erase(1, "demo", s.node)); // what it goes on from is the fork's now
  BOOST_TEST(must(s.log->read(fork.key, 0, 100)).size() == 2U);
  BOOST_TEST(s.has(s.kept));
  BOOST_TEST(s.has(s.state));
}

// A fork that keeps its context alone needs nothing of its parent's, and what was its parent's alone goes.
BOOST_AUTO_TEST_CASE_TEMPLATE(a_fork_is_cut_off_from_what_it_inherited, World, worlds) {
  trimmed_session<World> s;
  const auto fork = must(s.log->fork(
      s.row, {3, chain_of(must(s.log->read(s.row.key, 0, 3)))}, "fork", append_to({}, 3, {R"({"own":4})"})));
  s.trim(fork, 4);
  must(s.log->erase(1, "demo", s.node));
  BOOST_TEST(s.has(s.lost));
  BOOST_TEST(must(s.log->remove_through(fork.key, fork.epoch, 4)) >= 1);
  BOOST_TEST(must(s.log->read(fork.key, 0, 100)).size() == 1U);
  BOOST_TEST(!s.has(s.lost));
  BOOST_TEST((must(s.log->blob_of(fork.key, s.kept.name)) == s.kept.content));
  auto twice = append_to(fork, 5, {R"({"own":6})"});
  twice.claims = {"m2"};
  BOOST_TEST(std::holds_alternative<claim_taken>(append_one(*s.log, twice)));
  const auto row = must(s.log->find(1, "fork"));
  BOOST_TEST(row.cut == 0);
  BOOST_TEST(row.begun());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_log_without_its_beginning_is_brought_back, World, worlds) {
  trimmed_session<World> s;
  const auto anchor = chain_of(must(s.log->read(s.row.key, 0, 3)));
  const auto row = must(s.log->create(1, "again", s.node, {3, anchor}));
  BOOST_TEST(row.head == 3);
  s.trim(row, 3);
  BOOST_TEST((must(s.log->head(row.key)).chain == must(s.log->head(s.row.key)).chain));
  BOOST_TEST(s.log->release(row.key, row.epoch));
  BOOST_TEST(must(s.log->take(1, "again", s.node)).events.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::persistence
