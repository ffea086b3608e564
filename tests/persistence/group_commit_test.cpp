// Trouble with the store, made to order: nothing is lost, nothing is there twice, and the innocent
// don't pay.
#include "tests/persistence/worlds.hpp"

#include <thread>

namespace troupe::persistence {

BOOST_AUTO_TEST_SUITE(group_commit_suite)

namespace {

struct started {
  std::shared_ptr<memory_store> store = std::make_shared<memory_store>();
  std::vector<std::string> heard;
  std::unique_ptr<journal> log = make_memory_journal(
      store, impatient([this](const std::string& sentence) { heard.push_back(sentence); }));
  node_identity node = this_process("one");
  session_row row = must(log->create(1, "demo", node));
  std::size_t count() { return must(log->read(row.key, 0, 1'000'000)).size(); }
};

} // namespace

BOOST_AUTO_TEST_CASE(a_lost_answer_is_looked_up) {
  started s;
  for (const auto fault : {made_fault::lose_answer, made_fault::lose_write, made_fault::fail}) {
    s.store->expect(fault);
    const auto before = static_cast<std::int64_t>(s.count());
    auto first = append_to(s.row, before, {R"({"n":1})", R"({"n":2})"});
    auto second = append_to(s.row, std::nullopt, {R"({"n":3})"});
    second.claims = {"m" + std::to_string(before)};
    const auto outcomes = must(s.log->append_all({first, second}));
    BOOST_REQUIRE(std::holds_alternative<committed>(outcomes.at(0)));
    BOOST_REQUIRE(std::holds_alternative<committed>(outcomes.at(1)));
    BOOST_TEST(std::get<committed>(outcomes[1]).events.at(0).seq == before + 3);
    BOOST_TEST(s.count() == static_cast<std::size_t>(before) + 3);
  }
  BOOST_TEST(must(s.log->head(s.row.key)).chain == chain_of(must(s.log->read(s.row.key, 0, 100))));
}

BOOST_AUTO_TEST_CASE(a_lost_answer_after_a_lost_answer) {
  started s;
  for (int i = 0; i < 5; ++i)
    s.store->expect(made_fault::lose_answer);
  commit_one(*s.log, append_to(s.row, std::nullopt, {R"({"n":1})"}));
  BOOST_TEST(s.count() == 1U);
}

BOOST_AUTO_TEST_CASE(who_lost_the_session_meanwhile_is_fenced) {
  started s;
  auto other = make_memory_journal(s.store, impatient());
  s.store->expect(made_fault::lose_write);
  other->take(1, "demo", this_process("two")).value();
  BOOST_TEST(
      std::holds_alternative<fenced>(append_one(*s.log, append_to(s.row, std::nullopt, {R"({"n":1})"}))));
  // and whose append was committed before that knows it
  auto third = make_memory_journal(s.store, impatient());
  const auto taken = must(third->take(1, "demo", this_process("three")));
  s.store->expect(made_fault::lose_answer);
  commit_one(*third, append_to(taken.row, std::nullopt, {R"({"n":1})"}));
  BOOST_TEST(s.count() == 1U);
}

BOOST_AUTO_TEST_CASE(the_culprit_is_found_and_the_others_commit) {
  started s;
  s.store->refuse_payload("\"poison\"");
  std::vector<append> batch;
  for (int i = 0; i < 100; ++i) {
    const auto row = must(s.log->create(1, "s" + std::to_string(i), s.node));
    batch.push_back(append_to(row, 0, {i % 40 == 7 ? "\"poison\"" : R"({"n":1})"}));
    batch.push_back(append_to(row, std::nullopt, {R"({"n":2})"}));
  }
  const auto outcomes = must(s.log->append_all(batch));
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    BOOST_TEST(std::holds_alternative<refused>(outcomes[i]) == (i % 80 == 14));
  BOOST_TEST(s.store->writes() < 60U);
}

BOOST_AUTO_TEST_CASE(a_full_store_is_waited_for_and_said_once) {
  started s;
  s.store->expect(made_fault::full);
  std::thread meanwhile([&] {
    while (s.store->writes() < 5)
      std::this_thread::yield();
    s.store->heal();
  });
  commit_one(*s.log, append_to(s.row, 0, {R"({"n":1})"}));
  meanwhile.join();
  BOOST_REQUIRE(s.heard.size() == 2U);
  BOOST_TEST(s.heard[0].find("no room") != std::string::npos);
  BOOST_TEST(s.heard[1].find("again") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(trouble_is_over_also_where_the_store_refuses_what_waited) {
  started s;
  s.store->refuse_payload("\"poison\"");
  for (int round = 1; round <= 2; ++round) {
    s.store->expect(made_fault::lose_write);
    BOOST_TEST(
        std::holds_alternative<refused>(append_one(*s.log, append_to(s.row, std::nullopt, {"\"poison\""}))));
    BOOST_TEST(s.heard.size() == static_cast<std::size_t>(2 * round));
  }
  BOOST_TEST(s.store->faults_to_meet() == 0U);
}

BOOST_AUTO_TEST_CASE(a_waiting_append_gives_up_when_stopped) {
  started s;
  auto patient = make_memory_journal(s.store, {std::chrono::hours{1}, std::chrono::hours{1}, {}});
  s.store->expect(made_fault::full);
  std::thread meanwhile([&] {
    while (s.store->writes() == 0)
      std::this_thread::yield();
    patient->stop();
  });
  const auto answer = patient->append_all({append_to(s.row, 0, {R"({"n":1})"})});
  meanwhile.join();
  BOOST_REQUIRE(!answer);
  BOOST_TEST((answer.error().code == problem_code::unavailable));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::persistence
