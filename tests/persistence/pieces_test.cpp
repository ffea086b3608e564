// The small parts by themselves: remedies, array literals, the memory of heads and of blobs.
#include "tests/persistence/worlds.hpp"

#include "persistence/append_batch.hpp"
#include "persistence/array_literal.hpp"
#include "persistence/binary_array.hpp"
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

BOOST_AUTO_TEST_CASE(binary_arrays_of_every_type_come_back_as_they_were) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  binary_array boolean(element_type::boolean), bytea(element_type::bytea), bigint(element_type::bigint),
      smallint(element_type::smallint), integer(element_type::integer), text(element_type::text),
      time(element_type::timestamptz), uuid(element_type::uuid);
  const auto add = [&](bool yes, std::int64_t number, std::int16_t small, std::string_view word, timestamp at,
                       std::string_view id) {
    boolean.add(yes);
    bytea.add(word);
    bigint.add(number);
    smallint.add(std::int64_t{small});
    integer.add(std::int64_t{small} * 65'536);
    text.add(word);
    time.add(at);
    uuid.add_uuid(id);
  };
  add(true, most, 32'767, "{\"é\\,NULL}", {1'800'000'000'000'001}, "01a22d55-ede3-7778-bbf8-045e4d7d2277");
  add(false, least, -32'768, "", {-1}, "ffffffff-ffff-ffff-ffff-fffffffffffa");
  for (auto* const each : {&boolean, &bytea, &bigint, &smallint, &integer, &text, &time, &uuid})
    each->add_null();
  const sql::statement all{"all", R"(
    select b, encode(y, 'hex'), l, s, i, t, to_char(a at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), u
    from unnest($1::bool[], $2::bytea[], $3::bigint[], $4::smallint[], $5::int[], $6::text[], $7::timestamptz[], $8::uuid[])
      with ordinality as x (b, y, l, s, i, t, a, u, n) order by n)"};
  const auto rows = database_connection(test_cluster().url())
                        .run_binary(all,
                            {boolean.take(), bytea.take(), bigint.take(), smallint.take(), integer.take(),
                                text.take(), time.take(), uuid.take()});
  const database_rows expected = {
      {"t", "7b22c3a95c2c4e554c4c7d", std::to_string(most), "32767", "2147418112", "{\"é\\,NULL}",
          "2027-01-15 08:00:00.000001", "01a22d55-ede3-7778-bbf8-045e4d7d2277"},
      {"f", "", std::to_string(least), "-32768", "-2147483648", "", "1969-12-31 23:59:59.999999",
          "ffffffff-ffff-ffff-ffff-fffffffffffa"},
      database_row(8)};
  BOOST_TEST((rows == expected));
}

BOOST_AUTO_TEST_CASE(a_time_that_the_server_does_not_know_is_refused_by_it) {
  const sql::statement first{"first", "select ($1::timestamptz[])[1]"};
  database_connection connection(test_cluster().url());
  binary_array times(element_type::timestamptz);
  times.add(timestamp{std::numeric_limits<std::int64_t>::min()});
  try {
    connection.run_binary(first, {times.take()});
    BOOST_ERROR("it was taken");
  } catch (const database_fault& fault) {
    BOOST_TEST(fault.sqlstate() == "22008");
    BOOST_TEST((fault.helps() == remedy::halve));
  }
}

BOOST_AUTO_TEST_CASE(a_binary_array_may_be_empty) {
  const sql::statement count{"count", "select cardinality($1::bigint[])"};
  const auto rows = database_connection(test_cluster().url())
                        .run_binary(count, {binary_array(element_type::bigint).take()});
  BOOST_TEST(rows.at(0).at(0).value() == "0");
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
    event.command = command_kind::accept_message;
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

BOOST_AUTO_TEST_CASE(of_what_was_decided_no_tail_is_kept) {
  known_head head;
  const auto append = [&](command_kind command, int events) {
    std::vector<recorded_event> all;
    for (int i = 0; i < events; ++i) {
      auto& event = all.emplace_back();
      event.command = command;
      event.seq = ++head.seq;
      event.payload = "12345";
    }
    head.extend(all);
  };
  append(command_kind::accept_message, 1);
  append(command_kind::accept_message, 1);
  BOOST_TEST(head.since(0).value().size() == 2U);
  append(command_kind::start, 3);
  BOOST_TEST(head.tail.capacity() == 0U);
  BOOST_TEST(head.tail_bytes == 0U);
  BOOST_TEST(head.since(5).value().empty());
  BOOST_TEST(!head.since(4).has_value());
  append(command_kind::accept_message, 1);
  BOOST_TEST(head.since(5).value().at(0).seq == 6);
  BOOST_TEST(!head.since(4).has_value());
  BOOST_TEST(head.tail_bytes == 5U);
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
