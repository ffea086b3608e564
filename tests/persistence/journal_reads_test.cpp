// What the journal answers besides whole logs, over memory and over PostgreSQL: some events, heads,
// snapshots, stored content of a session; and that what is erased is gone.
#include "tests/persistence/worlds.hpp"

#include "messages/digest.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace troupe::persistence {

using worlds = std::tuple<memory_world, postgres_world>;

BOOST_AUTO_TEST_SUITE(journal_reads)

namespace {

template <class World> struct one_session {
  World world;
  std::unique_ptr<journal> log = world.open();
  node_identity node = this_process("one");
  session_row row;
  explicit one_session(const std::string& id = "demo") {
    must(log->heartbeat(node, 60'000));
    row = must(log->create(1, id, node));
  }
  void append_typed(const std::string& type) {
    auto what = append_to(row, head_, {R"({"n":1})"});
    what.events.front().type = type;
    commit_one(*log, what);
    ++head_;
  }
  std::int64_t head_ = 0;
};

std::vector<std::int64_t> numbers(const std::vector<recorded_event>& events) {
  std::vector<std::int64_t> out;
  for (const auto& event : events)
    out.push_back(event.seq);
  return out;
}

const std::string name = content_name("big");

} // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(events_are_read_by_type_and_by_number, World, worlds) {
  one_session<World> s;
  for (const char* const type : {"value.written", "notice.added", "value.written", "abort.requested"})
    s.append_typed(type);
  const std::vector<std::int64_t> values{1, 3};
  BOOST_TEST(numbers(must(s.log->read(s.row.key, 0, 10, {"value.written"}))) == values,
      boost::test_tools::per_element());
  BOOST_TEST(must(s.log->read(s.row.key, 1, 10, {"value.written"})).front().seq == 3);
  BOOST_TEST(must(s.log->read(s.row.key, 0, 1, {"value.written", "notice.added"})).size() == 1U);
  BOOST_TEST(must(s.log->read(s.row.key, 0, 10, {"run.started"})).empty());
  const std::vector<std::int64_t> asked{4, 2};
  const std::vector<std::int64_t> in_order{2, 4};
  BOOST_TEST(
      numbers(must(s.log->read_these(s.row.key, asked))) == in_order, boost::test_tools::per_element());
  BOOST_TEST(must(s.log->read_these(s.row.key, {9})).empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(payloads_of_some_types_are_shown_in_order_and_once, World, worlds) {
  one_session<World> s;
  commit_one(*s.log, append_to(s.row, 0, std::vector<std::string>(6'000, R"({"n":1})")));
  auto last = append_to(s.row, 6'000, {R"({"n":2})"});
  last.events.front().type = "notice.added";
  commit_one(*s.log, last);
  const auto shown = [&](std::int64_t after, std::int64_t through, const std::vector<std::string>& types) {
    std::vector<std::int64_t> seqs;
    must(s.log->read_payloads(s.row.key, after, through, types, [&](const seen_payload& seen) {
      BOOST_TEST(seen.type == (seen.seq > 6'000 ? "notice.added" : "value.written"));
      BOOST_TEST(seen.payload == (seen.seq > 6'000 ? R"({"n":2})" : R"({"n":1})"));
      BOOST_TEST(seen.version == 1);
      seqs.push_back(seen.seq);
    }));
    return seqs;
  };
  std::vector<std::int64_t> all(6'001);
  std::iota(all.begin(), all.end(), 1);
  BOOST_TEST(shown(0, 6'001, {"value.written", "notice.added"}) == all, boost::test_tools::per_element());
  BOOST_TEST(shown(0, 10'000, {"notice.added"}) == std::vector<std::int64_t>{6'001},
      boost::test_tools::per_element());
  BOOST_TEST(shown(5'997, 5'999, {"value.written"}) == (std::vector<std::int64_t>{5'998, 5'999}),
      boost::test_tools::per_element());
  BOOST_TEST(shown(0, 6'001, {"run.started"}).empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(heads_tell_what_is_there, World, worlds) {
  one_session<World> s;
  s.append_typed("value.written");
  const auto heads = must(s.log->heads({s.row.key, {1, 987'654}}));
  BOOST_TEST(heads.size() == 1U);
  BOOST_TEST(heads.at(s.row.key) == 1);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(nothing_can_be_appended_to_a_session_that_was_let_go_of, World, worlds) {
  one_session<World> s;
  s.append_typed("value.written");
  auto other = s.world.open();
  other->release(s.row.key, s.row.epoch);
  BOOST_TEST(std::holds_alternative<fenced>(append_one(*s.log, append_to(s.row, 1, {R"({"n":2})"}))));
  BOOST_TEST(must(s.log->find(1, "demo")).head == 1);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_snapshot_comes_with_the_events_after_it, World, worlds) {
  one_session<World> s;
  for (int i = 0; i < 4; ++i)
    s.append_typed("value.written");
  s.log->keep(s.row.key, {2, 7, "older"});
  s.log->keep(s.row.key, {3, 7, std::string("fol\0ded", 7)});
  const auto taken = must(s.log->take(1, "demo", s.node, 7));
  BOOST_REQUIRE(taken.from.has_value());
  BOOST_TEST(taken.from->seq == 3);
  BOOST_TEST(taken.from->content == std::string("fol\0ded", 7));
  BOOST_TEST(numbers(taken.events) == std::vector<std::int64_t>{4}, boost::test_tools::per_element());
  BOOST_TEST(
      !must(s.log->take(1, "demo", s.node, 8)).from.has_value()); // of another form: as if it weren't there
  BOOST_TEST(must(s.log->take(1, "demo", s.node)).events.size() == 4U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(of_so_many_events_the_newest_snapshot_is_kept, World, worlds) {
  one_session<World> s;
  std::int64_t head = 0;
  const auto keep_after = [&](std::int64_t events) {
    commit_one(*s.log,
        append_to(s.row, head, std::vector<std::string>(static_cast<std::size_t>(events), R"({"n":1})")));
    head += events;
    s.log->keep(s.row.key, {head, 7, "as of " + std::to_string(head)});
  };
  keep_after(10);
  keep_after(snapshot_every);
  keep_after(1);
  const auto before = [&](std::int64_t seq) {
    const auto kept = must(s.log->snapshot_before(s.row.key, seq, 7));
    return kept ? kept->folded.seq : 0;
  };
  BOOST_TEST(before(9) == 0);
  BOOST_TEST(before(10) == 10);
  BOOST_TEST(before(head - 1) == 10); // the one there gave way to the next
  BOOST_TEST(before(head) == head);
  BOOST_TEST(!must(s.log->snapshot_before(s.row.key, head, 8)));
  const auto kept = must(s.log->snapshot_before(s.row.key, head, 7));
  BOOST_TEST(kept->folded.content == "as of " + std::to_string(head));
  BOOST_TEST((kept->chain == must(s.log->head(s.row.key)).chain));
}

BOOST_AUTO_TEST_CASE(a_snapshot_of_another_log_is_passed_over) {
  one_session<postgres_world> s;
  for (int i = 0; i < 3; ++i)
    s.append_typed("value.written");
  s.log->keep(s.row.key, {2, 7, "folded"});
  s.world.sql("update troupe.snapshots set chain = sha256('elsewhere')");
  const auto taken = must(s.log->take(1, "demo", s.node, 7));
  BOOST_TEST(!taken.from.has_value());
  BOOST_TEST(taken.events.size() == 3U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(content_is_read_only_through_a_session_that_refers_to_it, World, worlds) {
  one_session<World> s;
  const auto other = must(s.log->create(1, "other", s.node));
  auto what = append_to(s.row, 0, {R"({"n":1})"});
  what.blobs = {{name, "big"}};
  commit_one(*s.log, what);
  BOOST_TEST(must(s.log->blob_of(s.row.key, name)) == "big");
  BOOST_TEST((s.log->blob_of(other.key, name).error().code == problem_code::not_found));
  BOOST_TEST((s.log->blob_of(s.row.key, "sha256:nonsense").error().code == problem_code::not_found));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(an_erased_session_is_gone_with_what_only_it_referred_to, World, worlds) {
  one_session<World> s;
  const auto other = must(s.log->create(1, "other", s.node));
  const std::string shared = content_name("shared");
  auto mine = append_to(s.row, 0, {R"({"n":1})"});
  mine.blobs = {{name, "big"}, {shared, "shared"}};
  mine.claims = {"m1"};
  commit_one(*s.log, mine);
  auto theirs = append_to(other, 0, {R"({"n":1})"});
  theirs.blobs = {{shared, "shared"}};
  commit_one(*s.log, theirs);
  must(s.log->erase(1, "demo", s.node));
  BOOST_TEST((s.log->find(1, "demo").error().code == problem_code::not_found));
  BOOST_TEST((s.log->erase(1, "demo", s.node).error().code == problem_code::not_found));
  BOOST_TEST(must(s.log->read(s.row.key, 0, 10)).empty());
  BOOST_TEST(must(s.log->blobs(1, {name, shared})).size() == 1U);
  const auto late = append_one(*s.log, append_to(s.row, 1, {R"({"n":2})"}));
  BOOST_REQUIRE(std::holds_alternative<fenced>(late));
  BOOST_TEST(std::get<fenced>(late).epoch == 0);
  BOOST_TEST(must(s.log->create(1, "demo", s.node)).head == 0); // the id is free, and begins anew
}

BOOST_AUTO_TEST_CASE(erasing_leaves_no_row_behind) {
  one_session<postgres_world> s;
  auto what = append_to(s.row, 0, {R"({"n":1})"});
  what.blobs = {{name, "big"}};
  what.claims = {"m1"};
  commit_one(*s.log, what);
  s.log->keep(s.row.key, {1, 7, "folded"});
  must(s.log->erase(1, "demo", s.node));
  for (const char* const table :
      {"sessions", "branches", "events", "claims", "snapshots", "blobs", "blob_uses"})
    BOOST_TEST(s.world.sql(std::string("select count(*) from troupe.") + table) == "0");
}

// A fork of the session, one of that fork above its cut, and one of that below all cuts.
BOOST_AUTO_TEST_CASE(a_fork_reads_what_it_inherited_before_its_own) {
  one_session<postgres_world> s;
  for (int i = 0; i < 5; ++i)
    s.append_typed("value.written");
  session_row row = s.row;
  for (const std::int64_t cut : {3, 4, 2}) {
    const auto inherited = std::to_string(cut);
    s.world.sql("insert into troupe.branches (tenant_id, parent_id, cut_seq) values (1, "
        + std::to_string(row.key.branch) + ", " + inherited + ")");
    row.key.branch = std::stoll(s.world.sql("select max(branch_id) from troupe.branches"));
    s.world.sql("insert into troupe.sessions (tenant_id, branch_id, session_id, epoch, head_seq) values (1, "
        + std::to_string(row.key.branch) + ", 'fork-" + inherited + "', 1, " + inherited + ")");
    commit_one(*s.log, append_to(row, cut, {R"({"own":1})", R"({"own":2})"}));
    std::vector<std::int64_t> expected(static_cast<std::size_t>(cut + 2));
    std::iota(expected.begin(), expected.end(), 1);
    BOOST_TEST(numbers(must(s.log->read(row.key, 0, 10))) == expected, boost::test_tools::per_element());
    std::vector<std::int64_t> shown;
    must(s.log->read_payloads(row.key, 0, cut + 2, {"value.written"}, [&](const seen_payload& seen) {
      shown.push_back(seen.seq);
      BOOST_TEST((seen.payload.find("own") != std::string_view::npos)
          == (seen.seq > std::min<std::int64_t>(cut, 3)));
    }));
    BOOST_TEST(shown == expected, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(what_a_fork_inherited_outlives_its_parent) {
  one_session<postgres_world> s;
  for (int i = 0; i < 5; ++i)
    s.append_typed("value.written");
  const auto parent = std::to_string(s.row.key.branch);
  s.world.sql("insert into troupe.branches (tenant_id, parent_id, cut_seq) values (1, " + parent + ", 3)");
  const auto fork = s.world.sql("select max(branch_id) from troupe.branches");
  s.world.sql("insert into troupe.sessions (tenant_id, branch_id, session_id, epoch, head_seq) values (1, "
      + fork + ", 'fork', 1, 3)");
  must(s.log->erase(1, "demo", s.node));
  BOOST_TEST(must(s.log->read({1, std::stoll(fork)}, 0, 10)).size() == 3U);
  BOOST_TEST(s.world.sql("select count(*) from troupe.events") == "3");
  must(s.log->erase(1, "fork", s.node));
  BOOST_TEST(s.world.sql("select count(*) from troupe.events") == "0");
  BOOST_TEST(s.world.sql("select count(*) from troupe.branches") == "0");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::persistence
