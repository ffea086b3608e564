// What appending promises, over memory and over PostgreSQL: contiguous, whole, fenced, claimed once.
#include "tests/persistence/worlds.hpp"

#include "messages/digest.hpp"

#include <boost/mp11/list.hpp>
#include <tuple>

namespace troupe::persistence {

using worlds = std::tuple<memory_world, postgres_world>;

BOOST_AUTO_TEST_SUITE(journal_append)

namespace {

/// A journal, a node and a session of it.
template <class World> struct started {
  World world;
  std::unique_ptr<journal> log = world.open();
  node_identity node = this_process("one");
  session_row row;
  started() {
    must(log->heartbeat(node, 60'000));
    row = must(log->create(1, "demo", node));
  }
  std::vector<recorded_event> all() { return must(log->read(row.key, 0, 1'000'000)); }
};

} // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(sequence_numbers_are_contiguous, World, worlds) {
  started<World> s;
  const auto first = commit_one(*s.log, append_to(s.row, 0, {R"({"n":1})", R"({"n":2})"}));
  const auto second = commit_one(*s.log, append_to(s.row, 2, {R"({"n":3})"}));
  BOOST_TEST(first.at(0).seq == 1);
  BOOST_TEST(first.at(1).seq == 2);
  BOOST_TEST(first.at(1).append_seq == 1);
  BOOST_TEST(second.at(0).seq == 3);
  BOOST_TEST(second.at(0).append_seq == 3);
  auto all = first;
  all.insert(all.end(), second.begin(), second.end());
  BOOST_TEST((s.all() == all));
  const auto row = must(s.log->find(1, "demo"));
  BOOST_TEST(row.head == 3);
  BOOST_TEST(must(s.log->head(s.row.key)).chain == chain_of(all));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(an_event_comes_back_as_it_was, World, worlds) {
  started<World> s;
  auto what = append_to(s.row, 0, {});
  what.command = command_kind::import_log;
  // U+0000 as an escape, every plane, the quotes of SQL and of arrays, digits that a parser would change
  const std::vector<std::string> payloads = {R"({"t":"a\u0000b","k\u0000":"\\u0000"})",
      "{\"t\":\"\u00e9\u20ac\U0001F600\U0010FFFF\uFFFD\u2028\"}",
      R"({"t":"{\"a\",NULL}','--","n":1.50,"m":18446744073709551615})", "{\"t\":\"NULL\"}", "\"\"",
      "{\"t\":\"\\\\x00\x7f\"}"};
  for (const auto& payload : payloads) {
    auto event = drafted("inference.started", payload);
    event.version = 7;
    event.run_id = new_uuid();
    event.at = {253402300799999999};
    what.events.push_back(event);
  }
  const auto kept = commit_one(*s.log, what);
  const auto read = s.all();
  BOOST_TEST((read == kept));
  for (std::size_t i = 0; i < payloads.size(); ++i) {
    BOOST_TEST(read.at(i).payload == payloads[i]);
    BOOST_TEST((read.at(i).run_id == what.events[i].run_id));
    BOOST_TEST(read.at(i).version == 7);
    BOOST_TEST((read.at(i).at == what.events[i].at));
    BOOST_TEST((read.at(i).command == command_kind::import_log));
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(time_never_goes_back_in_a_log, World, worlds) {
  started<World> s;
  auto late = append_to(s.row, 0, {R"({"n":1})"});
  late.events.front().at = {2'000'000};
  auto early = append_to(s.row, 1, {R"({"n":2})"});
  early.expected_head.reset();
  early.events.front().at = {1'000'000};
  commit_one(*s.log, late);
  BOOST_TEST((commit_one(*s.log, early).front().at == timestamp{2'000'000}));
  BOOST_TEST((s.all().back().at == timestamp{2'000'000}));
  early.append_id = new_uuid(); // nor where the journal remembers nothing
  BOOST_TEST((commit_one(*s.world.open(), early).front().at == timestamp{2'000'000}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(what_wakes_an_idle_session_leaves_the_rest_of_its_row, World, worlds) {
  started<World> s;
  auto first = append_to(s.row, 0, {R"({"n":1})"});
  first.view = session_view{"idle", false, std::nullopt, R"({"a":1})"};
  commit_one(*s.log, first);
  auto waking = append_to(s.row, 1, {R"({"n":2})"});
  waking.view.reset();
  waking.wakes = true;
  commit_one(*s.log, waking);
  auto row = must(s.log->find(1, "demo"));
  BOOST_TEST(row.view.needs_work);
  BOOST_TEST(row.view.views == R"({"a":1})");
  auto quiet = append_to(s.row, 2, {R"({"n":3})"});
  quiet.view.reset();
  commit_one(*s.log, quiet);
  BOOST_TEST(must(s.log->find(1, "demo")).view.needs_work);
  auto asking = append_to(s.row, 3, {R"({"n":4})"});
  asking.view = session_view{"waiting", false, std::nullopt, "{}"};
  commit_one(*s.log, asking);
  auto knocking = append_to(s.row, 4, {R"({"n":5})"});
  knocking.view.reset();
  knocking.wakes = true;
  commit_one(*s.log, knocking); // who waits for a person isn't loaded for a message
  row = must(s.log->find(1, "demo"));
  BOOST_TEST(!row.view.needs_work);
  BOOST_TEST(row.view.status == "waiting");
}

BOOST_AUTO_TEST_CASE_TEMPLATE(every_type_can_be_stored, World, worlds) {
  started<World> s;
  auto what = append_to(s.row, 0, {});
  for (const auto name : event_type_names)
    what.events.push_back(drafted(std::string(name)));
  BOOST_TEST(commit_one(*s.log, what).size() == event_type_count);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(who_is_behind_gets_what_is_missing, World, worlds) {
  started<World> s;
  const auto kept = commit_one(*s.log, append_to(s.row, 0, {R"({"n":1})", R"({"n":2})", R"({"n":3})"}));
  const auto outcome = append_one(*s.log, append_to(s.row, 1, {R"({"n":4})"}));
  BOOST_REQUIRE(std::holds_alternative<behind>(outcome));
  BOOST_TEST((std::get<behind>(outcome).missing == std::vector<recorded_event>{kept[1], kept[2]}));
  BOOST_TEST(s.all().size() == 3U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(who_is_far_behind_gets_it_from_the_log, World, worlds) {
  started<World> s;
  for (std::int64_t head = 0; head < 300; head += 100)
    commit_one(*s.log, append_to(s.row, head, std::vector<std::string>(100, R"({"n":1})")));
  const auto outcome = append_one(*s.log, append_to(s.row, 0, {R"({"n":4})"}));
  BOOST_REQUIRE(std::holds_alternative<behind>(outcome));
  BOOST_TEST((std::get<behind>(outcome).missing == s.all()));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(appends_of_one_session_stack_in_a_batch, World, worlds) {
  started<World> s;
  // accepted, decided before that was known, accepted
  const auto outcomes = must(s.log->append_all({append_to(s.row, std::nullopt, {R"({"n":1})"}),
      append_to(s.row, 0, {R"({"n":2})"}), append_to(s.row, std::nullopt, {R"({"n":3})"})}));
  BOOST_REQUIRE(std::holds_alternative<committed>(outcomes.at(0)));
  BOOST_REQUIRE(std::holds_alternative<behind>(outcomes.at(1)));
  BOOST_REQUIRE(std::holds_alternative<committed>(outcomes.at(2)));
  const auto first = std::get<committed>(outcomes[0]).events;
  BOOST_TEST((std::get<behind>(outcomes[1]).missing == first));
  BOOST_TEST(std::get<committed>(outcomes[2]).events.at(0).seq == 2);
  BOOST_TEST(std::get<committed>(outcomes[2]).events.at(0).append_seq == 2);
  BOOST_TEST(must(s.log->head(s.row.key)).chain == chain_of(s.all()));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_claim_is_taken_once, World, worlds) {
  started<World> s;
  auto first = append_to(s.row, std::nullopt, {R"({"n":1})"});
  first.claims = {"m1", "m1"};
  auto again = append_to(s.row, std::nullopt, {R"({"n":2})"});
  again.claims = {"m0", "m1"};
  auto other = append_to(s.row, std::nullopt, {R"({"n":3})"});
  other.claims = {"m2"};
  // twice in one batch, and what comes after it isn't held up
  auto outcomes = must(s.log->append_all({first, again, other}));
  BOOST_TEST(std::holds_alternative<committed>(outcomes.at(0)));
  BOOST_REQUIRE(std::holds_alternative<claim_taken>(outcomes.at(1)));
  BOOST_TEST(std::get<claim_taken>(outcomes[1]).claim == "m1");
  BOOST_TEST(std::get<claim_taken>(outcomes[1]).seq == 1);
  BOOST_TEST(std::holds_alternative<committed>(outcomes.at(2)));
  // later, and by a journal that remembers nothing
  again.append_id = new_uuid();
  auto fresh = s.world.open();
  BOOST_TEST(std::holds_alternative<claim_taken>(append_one(*fresh, again)));
  BOOST_TEST(s.all().size() == 2U);
  // "m0" stayed free: nothing of a refused append is left
  auto free = append_to(s.row, std::nullopt, {R"({"n":4})"});
  free.claims = {"m0"};
  BOOST_TEST(std::holds_alternative<committed>(append_one(*fresh, free)));
}

// B-096: whose append is stale is told by numbers; the clock stands still here.
BOOST_AUTO_TEST_CASE_TEMPLATE(a_thousand_appends_of_one_moment_conflict_with_nothing, World, worlds) {
  started<World> s;
  for (std::int64_t head = 0; head < 1000; ++head)
    BOOST_TEST(commit_one(*s.log, append_to(s.row, head, {R"({"n":1})"})).front().seq == head + 1);
  const auto all = s.all();
  BOOST_TEST(all.size() == 1000U);
  BOOST_TEST((all.front().at == all.back().at));
  BOOST_TEST(std::holds_alternative<behind>(append_one(*s.log, append_to(s.row, 999, {R"({"n":2})"}))));
  BOOST_TEST(must(s.log->head(s.row.key)).chain == chain_of(all));
}

// B-093: who decided on an old head is told what is missing, and takes no number by himself.
BOOST_AUTO_TEST_CASE_TEMPLATE(two_journals_on_one_session_never_renumber, World, worlds) {
  started<World> s;
  auto other = s.world.open();
  commit_one(*other, append_to(s.row, 0, {R"({"n":1})"}));
  const auto behind_it = append_one(*s.log, append_to(s.row, 0, {R"({"n":2})"}));
  BOOST_REQUIRE(std::holds_alternative<behind>(behind_it));
  BOOST_TEST(std::get<behind>(behind_it).missing.size() == 1U);
  BOOST_TEST(commit_one(*s.log, append_to(s.row, 1, {R"({"n":2})"})).at(0).seq == 2);
  BOOST_TEST(commit_one(*other, append_to(s.row, std::nullopt, {R"({"n":3})"})).at(0).seq == 3);
  BOOST_TEST(must(s.log->head(s.row.key)).chain == chain_of(s.all()));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_thousand_sessions_in_a_batch, World, worlds) {
  started<World> s;
  std::vector<append> batch;
  std::vector<session_row> rows;
  for (int i = 0; i < 1000; ++i) {
    rows.push_back(must(s.log->create(1, "s" + std::to_string(i), s.node)));
    batch.push_back(append_to(rows.back(), 0, {R"({"n":1})", R"({"n":2})", R"({"n":3})"}));
  }
  batch[500].expected_head = 7; // one of them is wrong, the others don't care
  const auto outcomes = must(s.log->append_all(batch));
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    BOOST_TEST(std::holds_alternative<committed>(outcomes[i]) == (i != 500));
  BOOST_TEST(must(s.log->read(rows[999].key, 0, 10)).size() == 3U);
  BOOST_TEST(must(s.log->read(rows[500].key, 0, 10)).empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(the_view_is_written_with_the_events, World, worlds) {
  started<World> s;
  auto what = append_to(s.row, 0, {R"({"n":1})"});
  what.view = session_view{"running", true, timestamp{1'800'000'000'000'001}, R"({"usage":{"a\"b":1}})"};
  commit_one(*s.log, what);
  commit_one(*s.log, append_to(s.row, 1, {R"({"n":2})"})); // without a view: the row's stays
  const auto row = must(s.log->find(1, "demo"));
  BOOST_TEST(row.view.status == "running");
  BOOST_TEST(row.view.needs_work);
  BOOST_TEST((row.view.wake_at == timestamp{1'800'000'000'000'001}));
  BOOST_TEST(row.view.views == R"({"usage":{"a\"b":1}})");
}

BOOST_AUTO_TEST_CASE_TEMPLATE(blobs_are_stored_with_the_append, World, worlds) {
  started<World> s;
  const auto tenant = must(s.log->tenant("other"));
  std::string content(100'000, 'x');
  content[5] = '\0';
  content[6] = '\xff';
  const auto name = content_name(content);
  for (std::int64_t head = 0; head < 3; ++head) { // the second time it is known to be there
    auto what = append_to(s.row, head, {R"({"blob":1})"});
    what.blobs = {{name, content}, {content_name(std::string_view{}), ""}, {name, content}};
    commit_one(*s.log, what);
  }
  const auto found =
      must(s.log->blobs(1, {name, content_name(std::string_view{}), content_name("other"), "nonsense"}));
  BOOST_TEST(found.size() == 2U);
  BOOST_TEST((found.at(name) == content));
  BOOST_TEST(must(s.log->blobs(tenant, {name})).empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(what_can_never_be_stored_is_refused_alone, World, worlds) {
  started<World> s;
  const auto wrong = [&](auto change) {
    auto what = append_to(s.row, std::nullopt, {R"({"n":1})"});
    change(what);
    return what;
  };
  const std::vector<append> batch = {wrong([](append& a) { a.events.clear(); }),
      wrong([](append& a) { a.events[0].type = "no.such"; }),
      wrong([](append& a) { a.events[0].payload = std::string("\"a\0b\"", 5); }),
      wrong([](append& a) { a.events[0].payload = "\"\xed\xa0\x80\""; }),
      wrong([](append& a) { a.events[0].run_id = "RUN"; }), wrong([](append& a) { a.append_id = "x"; }),
      wrong([](append& a) { a.claims = {""}; }), wrong([](append& a) {
        a.view = session_view{"asleep", false, {}, "{}"};
      }),
      wrong([](append& a) {
        a.blobs = {{"sha256:1", ""}};
      }),
      wrong([](append& a) { a.events.resize(append_events_max + 1, a.events[0]); }),
      wrong([](append& a) { a.events[0].payload = std::string(append_bytes_max + 1, ' '); }),
      wrong([](append&) {})};
  const auto outcomes = must(s.log->append_all(batch));
  for (std::size_t i = 0; i + 1 < outcomes.size(); ++i) {
    BOOST_REQUIRE_MESSAGE(std::holds_alternative<refused>(outcomes[i]), "append " << i);
    BOOST_TEST(!std::get<refused>(outcomes[i]).why.detail.empty());
  }
  BOOST_TEST(std::holds_alternative<committed>(outcomes.back()));
  BOOST_TEST(s.all().size() == 1U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(after_stop_appends_give_up, World, worlds) {
  started<World> s;
  s.log->stop();
  const auto answer = s.log->append_all({append_to(s.row, 0, {R"({"n":1})"})});
  BOOST_REQUIRE(!answer);
  BOOST_TEST((answer.error().code == problem_code::unavailable));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::persistence
