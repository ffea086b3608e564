// The small parts by themselves: remedies, array literals, the memory of heads and of blobs.
#include "tests/persistence/worlds.hpp"

#include "persistence/append_batch.hpp"
#include "persistence/array_literal.hpp"
#include "persistence/database_connection.hpp"
#include "persistence/known_heads.hpp"
#include "persistence/recent_blobs.hpp"

#include <random>

namespace troupe::persistence {

BOOST_AUTO_TEST_SUITE(pieces)

BOOST_AUTO_TEST_CASE(each_fault_has_its_remedy) {
  const std::pair<const char*, remedy> expected[] = {{"", remedy::reconnect}, {"08006", remedy::reconnect},
      {"57P01", remedy::reconnect}, {"57P02", remedy::reconnect}, {"40003", remedy::reconnect},
      {"26000", remedy::reconnect}, {"40001", remedy::retry}, {"40P01", remedy::retry},
      {"55P03", remedy::retry}, {"53100", remedy::wait}, {"53200", remedy::wait}, {"53300", remedy::wait},
      {"57P03", remedy::wait}, {"57014", remedy::wait}, {"58030", remedy::wait}, {"25006", remedy::wait},
      {"42501", remedy::wait}, {"42P01", remedy::wait}, {"22P05", remedy::halve}, {"22001", remedy::halve},
      {"23505", remedy::halve}, {"23514", remedy::halve}, {"54000", remedy::halve}, {"P0001", remedy::halve}};
  for (const auto& [state, helps] : expected)
    BOOST_TEST((remedy_for(state) == helps), state);
}

BOOST_AUTO_TEST_CASE(the_server_and_libpqxx_agree_on_the_states) {
  database_connection connection(test_cluster().url());
  for (const std::string state : {"22P05", "23505", "23503", "40001", "40P01", "42501", "42P01", "53100",
           "53300", "54000", "25006", "57014"}) {
    try {
      connection.script("do $$ begin raise exception 'x' using errcode = '" + state + "'; end $$");
      BOOST_ERROR("nothing was raised for " + state);
    } catch (const database_fault& fault) {
      BOOST_TEST(fault.sqlstate() == state);
      BOOST_TEST((fault.helps() == remedy_for(state)));
    }
  }
}

BOOST_AUTO_TEST_CASE(arrays_come_back_as_they_were) {
  std::mt19937 random(7);
  const std::string alphabet = "\"\\{},' \t\nNULLx\x01\x7f";
  std::vector<std::string> texts = {"", "NULL", "{}", "\\", "\"", "\xc3\xa9\xf0\x9f\x98\x80"};
  for (int i = 0; i < 200; ++i) {
    std::string text;
    for (auto n = random() % 12; n > 0; --n)
      text += alphabet[random() % alphabet.size()];
    texts.push_back(text);
  }
  array_literal text_array;
  array_literal bytes_array;
  for (const auto& text : texts) {
    text_array.add(text);
    bytes_array.add_bytes(text);
  }
  const sql::statement both{
      "both", "select t, b from unnest($1::text[], $2::bytea[]) with ordinality as x (t, b, n) order by n"};
  const auto rows =
      database_connection(test_cluster().url()).run(both, {text_array.take(), bytes_array.take()});
  BOOST_REQUIRE(rows.size() == texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    BOOST_TEST(rows[i].at(0).value() == texts[i]);
    BOOST_TEST(from_bytea(rows[i].at(1).value()) == texts[i]);
  }
  BOOST_TEST(array_literal().take() == "{}");
}

BOOST_AUTO_TEST_CASE(heads_are_forgotten_oldest_first_and_their_tails_are_bounded) {
  known_heads heads(2);
  heads.put({1, 1}, {1, 0, {}, {}, {}, 0});
  heads.put({1, 2}, {1, 0, {}, {}, {}, 0});
  BOOST_TEST(heads.find({1, 1}) != nullptr);
  heads.put({1, 3}, {1, 0, {}, {}, {}, 0});
  BOOST_TEST(heads.find({1, 2}) == nullptr);
  BOOST_TEST(heads.find({1, 1}) != nullptr);
  known_head head;
  for (std::int64_t seq = 1; seq <= 1000; ++seq) {
    recorded_event event;
    event.seq = head.seq = seq;
    event.payload = std::string(seq == 1000 ? known_heads::tail_bytes_max : 10, 'x');
    head.extend({event});
    BOOST_REQUIRE(head.tail.size() <= known_heads::tail_events_max);
    BOOST_REQUIRE(head.tail_bytes <= known_heads::tail_bytes_max);
  }
  BOOST_TEST(head.since(1000)->empty());
  BOOST_TEST(head.since(999).has_value());
  BOOST_TEST(!head.since(1).has_value());
}

BOOST_AUTO_TEST_CASE(blobs_are_remembered_up_to_a_bound) {
  recent_blobs blobs(2);
  blobs.add("a");
  blobs.add("b");
  BOOST_TEST(blobs.contains("a"));
  blobs.add("c");
  BOOST_TEST(!blobs.contains("b"));
  BOOST_TEST(blobs.clear());
  BOOST_TEST(!blobs.clear());
}

BOOST_AUTO_TEST_CASE(a_batch_that_outgrows_the_memory_of_heads_still_ends) {
  known_heads heads(2);
  std::vector<append> appends;
  for (int i = 0; i < 10; ++i) {
    session_row row;
    row.key = {1, i};
    row.epoch = 1;
    appends.push_back(append_to(row, 0, {"1"}));
  }
  append_batch plan(appends, heads);
  for (const auto& question : plan.questions())
    plan.learn(question.session, {true, 1, 0, {}, {}, {}, {}});
  const auto writes = plan.next(1000, 1'000'000);
  BOOST_TEST(writes.size() == 10U);
  for (const auto& write : writes)
    plan.commit(write);
  BOOST_TEST(plan.done());
}

BOOST_AUTO_TEST_CASE(statements_are_bounded) {
  known_heads heads;
  session_row row;
  row.key = {1, 1};
  row.epoch = 1;
  heads.put(row.key, {1, 0, {}, {}, {}, 0});
  const std::vector<append> appends(10, append_to(row, std::nullopt, {std::string(1000, ' ')}));
  append_batch plan(appends, heads);
  BOOST_TEST(plan.next(3, 1'000'000).at(0).appends.size() == 3U);
  BOOST_TEST(plan.next(100, 2'000).at(0).appends.size() == 2U);
  BOOST_TEST(plan.next(0, 0).at(0).appends.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::persistence
