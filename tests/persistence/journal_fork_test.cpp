// The contract of forks: a log that goes on from another one's cut, in memory and in PostgreSQL.
#include "tests/persistence/worlds.hpp"

#include "messages/event_codec.hpp"
#include "persistence/database_connection.hpp"
#include "persistence/orphans.hpp"

#include <thread>

namespace troupe::persistence {

using worlds = std::tuple<memory_world, postgres_world>;

BOOST_AUTO_TEST_SUITE(journal_forks)

namespace {

template <class World> struct forked_session {
  forked_session() {
    must(log->heartbeat(node, 60'000));
    row = must(log->create(1, "demo", node));
    commit_one(*log, append_to(row, 0, {R"({"n":1})", R"({"n":2})"}));
    auto claimed = append_to(row, 2, {R"({"n":3})"});
    claimed.claims = {"m3"};
    commit_one(*log, claimed);
    auto later = append_to(row, 3, {R"({"n":4})"});
    later.claims = {"m4"};
    commit_one(*log, later);
  }
  std::string chain_at(std::int64_t seq) {
    return chain_of(must(log->read(row.key, 0, static_cast<std::size_t>(seq))));
  }
  /// That goes on with events of these payloads.
  session_row fork(
      std::int64_t at, const std::string& id, const std::vector<std::string>& payloads = {R"({"own":1})"}) {
    return must(log->fork(row, {at, chain_at(at)}, id, append_to({}, at, payloads)));
  }

  World world;
  std::unique_ptr<journal> log = world.open();
  node_identity node = this_process("one");
  session_row row;
};

std::vector<std::string> payloads(const std::vector<recorded_event>& events) {
  std::vector<std::string> out;
  for (const auto& event : events)
    out.push_back(event.payload);
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(a_fork_has_the_log_up_to_its_cut_and_goes_on_by_itself, World, worlds) {
  forked_session<World> s;
  for (const std::int64_t at : {1, 2, 3, 4}) { // 1 is within an append
    const auto id = "fork-" + std::to_string(at);
    const auto fork = s.fork(at, id, {R"({"own":1})", R"({"own":2})"});
    BOOST_TEST(fork.head == at + 2);
    BOOST_TEST(fork.cut == at);
    const auto events = must(s.log->read(fork.key, 0, 100));
    BOOST_TEST(events.size() == static_cast<std::size_t>(at + 2));
    BOOST_TEST(payloads(events).back() == R"({"own":2})");
    BOOST_TEST(events.back().append_seq == at + 1);
    BOOST_TEST((must(s.log->head(fork.key)).chain == chain_of(events)));
    const auto row = must(s.log->find(1, id));
    BOOST_TEST(row.begun());
    BOOST_TEST(row.cut == at);
  }
  BOOST_TEST(must(s.log->read(s.row.key, 0, 100)).size() == 4U);
  BOOST_TEST(must(s.log->find(1, "demo")).cut == 0);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_fork_is_taken_with_all_that_it_inherited, World, worlds) {
  forked_session<World> s;
  s.fork(1, "fork");
  const auto taken = must(s.log->take(1, "fork", s.node));
  BOOST_TEST((payloads(taken.events) == std::vector<std::string>{R"({"n":1})", R"({"own":1})"}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(what_was_claimed_up_to_the_cut_is_claimed_in_the_fork, World, worlds) {
  forked_session<World> s;
  const auto fork = s.fork(3, "fork");
  auto again = append_to(fork, 4, {R"({"own":2})"});
  again.claims = {"m3"};
  const auto outcome = append_one(*s.log, again);
  const auto* const taken = std::get_if<claim_taken>(&outcome);
  BOOST_REQUIRE(taken);
  BOOST_TEST(taken->seq == 3);
  auto fresh = append_to(fork, 4, {R"({"own":2})"});
  fresh.claims = {"m4"}; // behind the cut
  commit_one(*s.log, fresh);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_fork_of_a_fork_reads_both, World, worlds) {
  forked_session<World> s;
  const auto first = s.fork(3, "first", {R"({"own":1})", R"({"own":2})"});
  const auto events = must(s.log->read(first.key, 0, 4));
  const auto second =
      must(s.log->fork(first, {4, chain_of(events)}, "second", append_to({}, 4, {R"({"own":3})"})));
  BOOST_TEST((payloads(must(s.log->read(second.key, 0, 100)))
      == std::vector<std::string>{R"({"n":1})", R"({"n":2})", R"({"n":3})", R"({"own":1})", R"({"own":3})"}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(an_id_that_exists_and_a_parent_that_is_gone_are_refused, World, worlds) {
  forked_session<World> s;
  const log_place cut{2, s.chain_at(2)};
  const auto first = append_to({}, 2, {R"({"own":1})"});
  const auto exists = s.log->fork(s.row, cut, "demo", first);
  BOOST_REQUIRE(!exists);
  BOOST_TEST((exists.error().code == problem_code::conflict));
  BOOST_TEST((s.log->fork(s.row, cut, "no spaces", first).error().code == problem_code::invalid_input));
  must(s.log->erase(1, "demo", s.node));
  const auto gone = s.log->fork(s.row, cut, "fork", first);
  BOOST_REQUIRE(!gone);
  BOOST_TEST((gone.error().code == problem_code::not_found));
}

BOOST_AUTO_TEST_CASE(a_fork_that_waits_for_its_parents_erasure_finds_it_gone) {
  forked_session<postgres_world> s;
  s.fork(3, "first"); // what it needs of the branch stays
  database_connection eraser(s.world.url);
  eraser.become_writer();
  eraser.script("begin; select troupe.erase_session(1, 'demo', null, null)");
  const log_place cut{2, s.chain_at(2)};
  std::thread meanwhile([&] {
    while (s.world.sql("select count(*) from pg_stat_activity where datname = current_database() "
                       "and wait_event_type = 'Lock'")
        == "0")
      ;
    eraser.script("commit");
  });
  const auto late = s.log->fork(s.row, cut, "late", append_to({}, 2, {R"({"own":1})"}));
  meanwhile.join();
  BOOST_REQUIRE(!late);
  BOOST_TEST((late.error().code == problem_code::not_found));
  BOOST_TEST((s.log->find(1, "late").error().code == problem_code::not_found));
  BOOST_TEST(must(find_orphans(s.world.url)).empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(what_a_fork_inherited_outlives_its_parent, World, worlds) {
  forked_session<World> s;
  const auto fork = s.fork(3, "fork");
  must(s.log->erase(1, "demo", s.node));
  BOOST_TEST(must(s.log->read(fork.key, 0, 100)).size() == 4U);
  BOOST_TEST(must(s.log->take(1, "fork", s.node)).events.size() == 4U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(an_erasure_says_what_went_and_what_stays_for_forks, World, worlds) {
  forked_session<World> s;
  const auto first = s.fork(3, "first");
  auto own = append_to(first, 4, {R"({"own":2})"});
  own.claims = {"m9"};
  commit_one(*s.log, own);
  const auto before = must(s.log->find(1, "demo"));
  const auto gone = must(s.log->erase(1, "demo", s.node)).value();
  BOOST_TEST(gone.events == before.head - 3);
  BOOST_TEST(gone.kept_events == 3);
  const auto rest = must(s.log->erase(1, "first", s.node)).value();
  BOOST_TEST(rest.claims >= 1);
  BOOST_TEST(rest.kept_events == 0);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(one_that_was_taken_meanwhile_is_not_erased, World, worlds) {
  forked_session<World> s;
  const auto again = must(s.log->take(1, "demo", s.node)).row;
  BOOST_TEST((s.log->erase(1, "demo", s.node, session_hold{s.row.key.branch, s.row.epoch}).error().code
      == problem_code::fenced));
  BOOST_TEST(must(s.log->find(1, "demo")).head == again.head);
  BOOST_TEST((s.log->erase(1, "demo", s.node, session_hold{again.key.branch + 1, again.epoch}).error().code
      == problem_code::fenced));
  BOOST_TEST(must(s.log->erase(1, "demo", s.node, session_hold{again.key.branch, again.epoch})).has_value());
  BOOST_TEST((s.log->find(1, "demo").error().code == problem_code::not_found));
}

BOOST_AUTO_TEST_CASE(of_lines_that_went_only_what_the_last_fork_reads_stays) {
  forked_session<postgres_world> s;
  const auto first = s.fork(4, "first");
  const auto second = must(s.log->fork(first, {2, chain_of(must(s.log->read(first.key, 0, 2)))}, "second",
      append_to({}, 2, {R"({"own":3})"})));
  must(s.log->erase(1, "demo", s.node));
  must(s.log->erase(1, "first", s.node));
  BOOST_TEST(s.world.sql("select count(*) from troupe.events") == "3"); // two inherited, one of its own
  BOOST_TEST(must(s.log->read(second.key, 0, 100)).size() == 3U);
  BOOST_TEST(must(find_orphans(s.world.url)).empty());
  must(s.log->erase(1, "second", s.node));
  BOOST_TEST(
      s.world.sql("select (select count(*) from troupe.events) + (select count(*) from troupe.branches)")
      == "0");
}

BOOST_AUTO_TEST_CASE_TEMPLATE(the_forks_of_a_session_are_listed_with_theirs_the_last_first, World, worlds) {
  forked_session<World> s;
  const auto first = s.fork(3, "first");
  const auto second = must(s.log->fork(first, {4, chain_of(must(s.log->read(first.key, 0, 4)))}, "second",
      append_to({}, 4, {R"({"own":3})"})));
  BOOST_TEST((must(s.log->forks_of(s.row.key)) == std::vector<std::string>{"second", "first"}));
  BOOST_TEST((must(s.log->forks_of(first.key)) == std::vector<std::string>{"second"}));
  BOOST_TEST(must(s.log->forks_of(second.key)).empty());
  must(s.log->erase(1, "first", s.node));
  BOOST_TEST((must(s.log->forks_of(s.row.key)) == std::vector<std::string>{"second"}));
}

BOOST_AUTO_TEST_CASE(rows_that_belong_to_nothing_are_found) {
  forked_session<postgres_world> s;
  BOOST_TEST(must(find_orphans(s.world.url)).empty());
  const auto fork = s.fork(3, "fork");
  struct change {
    const char* sql;
    const char* said;
  };
  for (const auto& [sql, said] :
      {change{
           "update troupe.sessions set head_seq = head_seq - 1 where session_id = 'fork'", "beyond the head"},
          change{"insert into troupe.blobs values (1, decode(repeat('00', 32), 'hex'), 'x')", "refers to"},
          change{"insert into troupe.claims values (1, 9999, 1, 'c')", "isn't there"},
          change{"update troupe.events set type = 'message.queued', payload = '{\"message_id\":\"unknown\"}' "
                 "where seq = 1",
              "isn't claimed"},
          change{"update troupe.sessions set node_id = gen_random_uuid(), due_at = null", "nobody knows"},
          change{"insert into troupe.branches (tenant_id, branch_id) values (99, 9999)", "of a tenant"},
          change{"insert into troupe.sessions (tenant_id, branch_id, session_id, epoch) values (1, 8888, "
                 "'x', 1)",
              "on a branch that isn't there"},
          change{"delete from troupe.sessions", "no session and no fork"}}) {
    s.world.sql(sql);
    std::string all;
    for (const auto& one : must(find_orphans(s.world.url)))
      all += one.what + ", the first: " + one.example + "\n";
    BOOST_TEST(all.find(said) != std::string::npos, sql << ": " << all);
  }
}

BOOST_AUTO_TEST_CASE(what_only_the_parent_referred_to_above_the_cut_goes_with_it) {
  forked_session<postgres_world> s;
  const auto with_content = [&](std::int64_t head, const std::string& content) {
    const auto name = content_name(std::string_view(content));
    auto what = append_to(s.row, head, {R"({"blob":")" + name + R"("})"});
    what.blobs = {{name, content}};
    commit_one(*s.log, what);
    return name;
  };
  const auto inherited = with_content(4, "inherited");
  const auto above = with_content(5, "above the cut");
  const auto fork = s.fork(5, "fork");
  must(s.log->erase(1, "demo", s.node));
  BOOST_TEST(must(s.log->blob_of(fork.key, inherited)) == "inherited");
  BOOST_TEST((s.log->blob_of(fork.key, above).error().code == problem_code::not_found));
  BOOST_TEST(must(s.log->blobs(1, {above})).empty());
  must(s.log->erase(1, "fork", s.node));
  BOOST_TEST(s.world.sql("select count(*) from troupe.blobs") == "0");
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_fork_is_there_whole_or_not_at_all, World, worlds) {
  forked_session<World> s;
  const log_place cut{3, s.chain_at(3)};
  auto first = append_to({}, 3, {R"({"own":1})"});
  const std::string text(9'000, 'x');
  first.blobs = {{content_name(std::string_view(text)), text}};
  first.view = session_view{"waiting", true, timestamp{1'700'000'000'000'000}, R"({"a":1})"};
  const auto made = must(s.log->fork(s.row, cut, "fork", first));
  const auto row = must(s.log->find(1, "fork"));
  BOOST_TEST(row.head == 4);
  BOOST_TEST(row.epoch == made.epoch);
  BOOST_TEST(row.key.branch == made.key.branch);
  BOOST_TEST(row.created_at.microseconds == made.created_at.microseconds);
  BOOST_TEST(row.view.status == "waiting");
  BOOST_TEST(row.view.views == R"({"a":1})");
  BOOST_TEST(!row.node);
  BOOST_TEST(must(s.log->blob_of(row.key, first.blobs[0].name)) == text);
  auto unstorable = append_to({}, 3, {std::string("{\"nul\":\"\0\"}", 11)});
  BOOST_TEST((s.log->fork(s.row, cut, "other", unstorable).error().code == problem_code::invalid_input));
  BOOST_TEST((s.log->find(1, "other").error().code == problem_code::not_found));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_session_is_renamed_by_its_owner_alone, World, worlds) {
  forked_session<World> s;
  session_view view;
  view.status = "waiting";
  must(s.log->rename(s.row.key, s.row.epoch, "renamed", view));
  BOOST_TEST(must(s.log->find(1, "renamed")).view.status == "waiting");
  BOOST_TEST((s.log->find(1, "demo").error().code == problem_code::not_found));
  BOOST_TEST(
      (s.log->rename(s.row.key, s.row.epoch + 1, "another", view).error().code == problem_code::fenced));
  must(s.log->create(1, "there", s.node));
  BOOST_TEST((s.log->rename(s.row.key, s.row.epoch, "there", view).error().code == problem_code::conflict));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::persistence
