// Verification of stored logs, over PostgreSQL: what somebody changed in the tables is found.
#include "actors/history/verification.hpp"
#include "messages/event_codec.hpp"
#include "tests/actors/stage.hpp"
#include "tests/persistence/worlds.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(verification)

namespace {

/// A run with a call, as it was stored in memory, stored once more in PostgreSQL.
struct stored_run {
  stored_run() : log(database.open()) {
    stage play(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[)"
        + hold_call("a") + "]}");
    play.gates.open("a");
    auto session = play.open("s");
    say(session, "Do it");
    until_idle(session);
    const auto me = persistence::this_process("one");
    must(log->heartbeat(me, 60'000));
    row = must(log->create(1, "s", me));
    persistence::append next = persistence::append_to(row, 0, {});
    const auto memory = persistence::make_memory_journal(play.store);
    for (const auto& event : play.stored("s")) {
      if (event.seq == event.append_seq && !next.events.empty())
        commit(next);
      each_reference(must(decode(event)).data, [&](const blob_ref& ref) {
        next.blobs.push_back({ref.blob, must(memory->blobs(1, {ref.blob})).at(ref.blob)});
      });
      next.command = event.command;
      next.events.push_back({event.type, event.version, event.at, event.run_id, event.payload});
    }
    commit(next);
    row = must(log->find(1, "s"));
  }

  actors::verification verified() { return must(actors::verify_log(*log, must(log->find(1, "s")))); }

  persistence::postgres_world database;
  std::unique_ptr<persistence::journal> log;
  persistence::session_row row;

 private:
  void commit(persistence::append& next) {
    next.expected_head = must(log->find(1, "s")).head;
    persistence::commit_one(*log, next);
    next = persistence::append_to(row, 0, {});
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(a_stored_log_is_good_and_its_chain_holds) {
  stored_run here;
  const auto found = here.verified();
  BOOST_TEST(!found.first_difference);
  BOOST_TEST(found.events == here.row.head);
  BOOST_TEST(found.is_whole);
}

BOOST_AUTO_TEST_CASE(what_was_changed_in_the_tables_is_found) {
  struct change {
    const char* sql;
    std::int64_t seq; ///< 0: the head
  };
  for (const auto& [sql, seq] : {change{"delete from troupe.events where seq = 5", 5},
           change{"delete from troupe.events where seq = (select max(seq) from troupe.events)", 0},
           change{"update troupe.events set payload = replace(payload, 'Do it', 'Undo it') where seq = 2", 2},
           change{"update troupe.events set payload = replace(payload, 'Done.', 'Gone.')", -1},
           change{"update troupe.events set run_id = gen_random_uuid() where seq = 4", 4},
           change{"update troupe.events set chain = decode(repeat('00', 32), 'hex') "
                  "where seq = (select min(seq) from troupe.events where chain is not null and seq > 1)",
               -1},
           change{"update troupe.events set chain = null where seq = 2", 2},
           change{"update troupe.sessions set chain = decode(repeat('00', 32), 'hex')", 0},
           change{"update troupe.events set command = 12 where type = 'tool.receipt'", -1}}) {
    stored_run here;
    here.database.sql(sql);
    const auto found = here.verified();
    BOOST_REQUIRE_MESSAGE(found.first_difference, sql);
    if (seq >= 0)
      BOOST_TEST(found.first_difference->seq == (seq == 0 ? here.row.head : seq),
          sql << ": " << found.first_difference->seq << " " << found.first_difference->expected);
  }
}

BOOST_AUTO_TEST_CASE(an_end_may_be_given_and_progress_may_stop_it) {
  stored_run here;
  const auto part = must(actors::verify_log(*here.log, here.row, 6));
  BOOST_TEST(!part.first_difference);
  BOOST_TEST(!part.is_whole);
  BOOST_TEST(part.events <= 6);
  const auto beyond = actors::verify_log(*here.log, here.row, here.row.head + 1);
  BOOST_REQUIRE(!beyond);
  BOOST_TEST((beyond.error().code == problem_code::invalid_input));
  const auto stopped = actors::verify_log(*here.log, here.row, 0, [](std::int64_t) { return false; });
  BOOST_REQUIRE(!stopped);
  BOOST_TEST((stopped.error().code == problem_code::cancelled));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
