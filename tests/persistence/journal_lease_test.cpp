// Who owns a session, over memory and over PostgreSQL: one node at a time, fenced by the epoch.
#include "tests/persistence/worlds.hpp"

#include <tuple>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::persistence {

using worlds = std::tuple<memory_world, postgres_world>;

BOOST_AUTO_TEST_SUITE(journal_lease)

namespace {

/// A node whose process has ended on this boot of this machine.
node_identity of_a_dead_process() {
  auto node = this_process("dead");
  node.pid = ::fork();
  if (node.pid == 0)
    ::_exit(0);
  ::waitpid(static_cast<pid_t>(node.pid), nullptr, 0);
  return node;
}

} // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(an_id_is_created_once, World, worlds) {
  World world;
  auto log = world.open();
  const auto node = this_process("one");
  must(log->heartbeat(node, 60'000));
  const auto row = must(log->create(1, "demo", node));
  BOOST_TEST(row.epoch == 1);
  BOOST_TEST(row.head == 0);
  BOOST_TEST((row.node == "one"));
  const auto again = log->create(1, "demo", node);
  BOOST_REQUIRE(!again);
  BOOST_TEST((again.error().code == problem_code::conflict));
  BOOST_TEST((log->create(1, "no blank", node).error().code == problem_code::invalid_input));
  BOOST_TEST((log->take(1, "nobody", node).error().code == problem_code::not_found));
  BOOST_TEST((log->find(1, "nobody").error().code == problem_code::not_found));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_session_is_held_while_its_node_lives, World, worlds) {
  World world;
  auto log = world.open();
  const auto one = this_process("one");
  const auto dead = of_a_dead_process();
  must(log->heartbeat(one, 60'000));
  must(log->heartbeat(dead, 60'000));
  const auto row = must(log->create(1, "demo", one));
  must(log->create(1, "left", dead));
  BOOST_TEST(must(log->is_held(1, "demo")));
  BOOST_TEST(!must(log->is_held(1, "left")));
  log->release(row.key, row.epoch);
  BOOST_TEST(!must(log->is_held(1, "demo")));
  BOOST_TEST((log->is_held(1, "nobody").error().code == problem_code::not_found));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_session_of_a_living_node_is_refused_by_name, World, worlds) {
  World world;
  auto log = world.open();
  const auto one = this_process("host:1");
  const auto two = this_process("host:2");
  must(log->heartbeat(one, 60'000));
  must(log->heartbeat(two, 60'000));
  must(log->create(1, "demo", one));
  const auto answer = log->take(1, "demo", two);
  BOOST_REQUIRE(!answer);
  BOOST_TEST((answer.error().code == problem_code::owned_elsewhere));
  BOOST_TEST(answer.error().detail.find("`demo` is owned by node `host:1` (alive") != std::string::npos);
  const auto again =
      must(log->take(1, "demo", one)); // its own again: what was under way under the old epoch is void
  BOOST_TEST(again.row.epoch == 2);
  BOOST_TEST(again.row.deaths == 0);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(an_owner_that_lost_its_epoch_cannot_append, World, worlds) {
  World world;
  auto old_log = world.open();
  auto new_log = world.open();
  const auto one = this_process("one");
  const auto two = this_process("two");
  must(old_log->heartbeat(one, 60'000));
  const auto row = must(old_log->create(1, "demo", one));
  commit_one(*old_log, append_to(row, 0, {R"({"n":1})"}));
  must(old_log->heartbeat(one, -1)); // stopped, and its lease ran out
  const auto taken = must(new_log->take(1, "demo", two));
  BOOST_TEST(taken.row.epoch == 2);
  BOOST_TEST(taken.events.size() == 1U);
  BOOST_TEST(taken.row.deaths == 1);
  must(old_log->heartbeat(one, 60'000)); // revived: the lease is back, the session isn't
  for (const auto expected : {std::optional<std::int64_t>(1), std::optional<std::int64_t>()}) {
    const auto outcome = append_one(*old_log, append_to(row, expected, {R"({"n":2})"}));
    BOOST_REQUIRE(std::holds_alternative<fenced>(outcome));
    BOOST_TEST(std::get<fenced>(outcome).epoch == 2);
  }
  old_log->release(row.key, row.epoch); // changes nothing
  commit_one(*new_log, append_to(taken.row, 1, {R"({"n":2})"}));
  BOOST_TEST(must(new_log->find(1, "demo")).deaths == 0); // the head moved
}

// B-106: the name is the same, the life is another; of the one before nothing counts any more.
BOOST_AUTO_TEST_CASE_TEMPLATE(a_twin_under_the_same_name_is_another_owner, World, worlds) {
  World world;
  auto old_log = world.open();
  auto new_log = world.open();
  const auto stalled = this_process("w1");
  const auto twin = this_process("w1");
  must(old_log->heartbeat(stalled, 60'000));
  const auto row = must(old_log->create(1, "demo", stalled));
  commit_one(*old_log, append_to(row, 0, {R"({"n":1})"}));
  must(old_log->heartbeat(stalled, -1)); // it stands still, and its lease runs out
  must(new_log->heartbeat(twin, 60'000));
  const auto taken = must(new_log->take(1, "demo", twin));
  must(old_log->heartbeat(stalled, 60'000)); // it goes on: renews, brings its result, lets go, leaves
  BOOST_TEST(std::holds_alternative<fenced>(append_one(*old_log, append_to(row, 1, {R"({"n":2})"}))));
  old_log->release(row.key, row.epoch);
  old_log->leave(stalled);
  const auto now = must(new_log->find(1, "demo"));
  BOOST_TEST(now.epoch == taken.row.epoch);
  BOOST_TEST(now.head == 1);
  BOOST_TEST(now.node.value() == "w1");
  commit_one(*new_log, append_to(taken.row, 1, {R"({"n":2})"}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_node_whose_process_is_gone_has_expired_at_once, World, worlds) {
  World world;
  auto log = world.open();
  const auto dead = of_a_dead_process();
  const auto one = this_process("one");
  must(log->heartbeat(dead, 3'600'000));
  must(log->create(1, "demo", dead));
  BOOST_TEST(must(log->take(1, "demo", one)).row.epoch == 2);
  auto elsewhere = dead;
  elsewhere.id = new_uuid();
  elsewhere.boot_id = "another machine";
  must(log->heartbeat(elsewhere, 3'600'000));
  must(log->create(1, "far", elsewhere));
  BOOST_TEST((log->take(1, "far", one).error().code == problem_code::owned_elsewhere));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(letting_go_in_order_is_no_death, World, worlds) {
  World world;
  auto log = world.open();
  const auto one = this_process("one");
  must(log->heartbeat(one, 60'000));
  auto row = must(log->create(1, "demo", one));
  for (int i = 0; i < 6; ++i) {
    log->release(row.key, row.epoch);
    row = must(log->take(1, "demo", one)).row;
    BOOST_TEST(row.deaths == 1);
  }
  BOOST_TEST(row.epoch == 13);  // both taking and letting go end an epoch
  for (int i = 0; i < 3; ++i) { // and now it dies
    const auto dead = of_a_dead_process();
    must(log->heartbeat(dead, 60'000));
    if (i == 0)
      log->release(row.key, row.epoch);
    row = must(log->take(1, "demo", dead)).row;
  }
  BOOST_TEST(row.deaths == 3);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(sessions_with_work_left_are_due, World, worlds) {
  World world;
  auto log = world.open();
  const auto one = this_process("one");
  const auto dead = of_a_dead_process();
  const auto me = this_process("me");
  must(log->heartbeat(one, 60'000));
  must(log->heartbeat(dead, 60'000));
  const auto session = [&](const std::string& id, const node_identity& node, bool work,
                           std::optional<timestamp> wake) {
    const auto row = must(log->create(1, id, node));
    auto what = append_to(row, 0, {R"({"n":1})"});
    what.view = session_view{work ? "running" : "idle", work, wake, "{}"};
    commit_one(*log, what);
    return row;
  };
  const timestamp past{1};
  const timestamp future{4'000'000'000'000'000};
  session("busy", one, true, {});
  const auto left = session("left", one, true, {});
  const auto idle = session("idle", one, false, {});
  const auto ripe = session("ripe", one, false, past);
  const auto unripe = session("unripe", one, false, future);
  for (const auto& row : {left, idle, ripe, unripe})
    log->release(row.key, row.epoch);
  session("orphan", dead, true, {});
  session("idle-orphan", dead, false, {});
  std::vector<std::string> names;
  for (const auto& row : must(log->due(me, 100)))
    names.push_back(row.id);
  std::sort(names.begin(), names.end());
  BOOST_TEST(names == (std::vector<std::string>{"left", "orphan", "ripe"}), boost::test_tools::per_element());
  BOOST_TEST(must(log->due(me, 1)).size() == 1U);
  must(log->take(1, "left", me)); // who is taken is no longer due
  BOOST_TEST(must(log->due(me, 100)).size() == 2U);
  log->leave(one);
  BOOST_TEST(must(log->due(me, 100)).size() == 3U); // "busy" was let go of
  must(log->take(1, "busy", me));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(lists_page_newest_first, World, worlds) {
  World world;
  auto log = world.open();
  const auto one = this_process("one");
  must(log->heartbeat(one, 60'000));
  for (int i = 0; i < 25; ++i) {
    const auto row = must(log->create(1, "s" + std::to_string(i), one));
    auto what = append_to(row, 0, {R"({"n":1})"});
    what.view = session_view{i % 2 ? "running" : "idle", false, {}, "{}"};
    commit_one(*log, what);
  }
  std::vector<std::string> ids;
  std::optional<page_mark> page;
  for (;;) {
    const auto rows = must(log->list(1, "", 10, page));
    for (const auto& row : rows)
      ids.push_back(row.id);
    if (rows.size() < 10)
      break;
    page = page_mark{rows.back().created_at, rows.back().key.branch};
  }
  BOOST_REQUIRE(ids.size() == 25U);
  for (int i = 0; i < 25; ++i)
    BOOST_TEST(ids[static_cast<std::size_t>(i)] == "s" + std::to_string(24 - i));
  BOOST_TEST(must(log->list(1, "running", 100)).size() == 12U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(events_are_read_in_pages, World, worlds) {
  World world;
  auto log = world.open();
  const auto one = this_process("one");
  const auto row = must(log->create(1, "demo", one));
  commit_one(*log, append_to(row, 0, std::vector<std::string>(6'000, R"({"n":1})")));
  BOOST_TEST(must(log->read(row.key, 0, 100'000)).size() == 6'000U);
  const auto page = must(log->read(row.key, 5'990, 5));
  BOOST_REQUIRE(page.size() == 5U);
  BOOST_TEST(page.front().seq == 5'991);
  BOOST_TEST(must(log->read(row.key, 6'000, 5)).empty());
}

// B-125: the same name in two tenants is two sessions.
BOOST_AUTO_TEST_CASE_TEMPLATE(tenants_have_names_of_their_own, World, worlds) {
  World world;
  auto log = world.open();
  const auto one = this_process("one");
  const auto a = must(log->tenant("default"));
  const auto b = must(log->tenant("other"));
  BOOST_TEST(a == 1);
  BOOST_TEST(a != b);
  BOOST_TEST(must(log->tenant("other")) == b);
  BOOST_TEST((log->tenant("no blank").error().code == problem_code::invalid_input));
  const auto mine = must(log->create(a, "main", one));
  const auto theirs = must(log->create(b, "main", one));
  commit_one(*log, append_to(mine, 0, {R"({"n":1})"}));
  commit_one(*log, append_to(theirs, 0, {R"({"n":2})", R"({"n":3})"}));
  BOOST_TEST(must(log->read(mine.key, 0, 10)).size() == 1U);
  BOOST_TEST(must(log->list(b, "", 10)).size() == 1U);
  BOOST_TEST(must(log->read({a, theirs.key.branch}, 0, 10)).empty()); // the branch of another tenant
}

BOOST_AUTO_TEST_CASE(a_process_knows_itself_and_the_dead) {
  const auto self = this_process();
  BOOST_TEST(!is_gone(self));
  BOOST_TEST(is_gone(of_a_dead_process()));
  auto reused = self;
  ++reused.start_ticks; // the number of a process that was before us
  BOOST_TEST(is_gone(reused));
  auto elsewhere = reused;
  elsewhere.boot_id = "another";
  BOOST_TEST(!is_gone(elsewhere));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::persistence
