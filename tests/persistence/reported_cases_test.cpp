// Cases from public bug reports about order and locks in PostgreSQL, as this journal meets them.
#include "tests/persistence/worlds.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

namespace troupe::persistence {

BOOST_AUTO_TEST_SUITE(reported_cases)

namespace {

constexpr int sessions = 8;
constexpr int rounds = 60;

std::vector<session_row> rows_of(journal& log, const node_identity& node) {
  std::vector<session_row> out;
  for (int i = 0; i < sessions; ++i)
    out.push_back(must(log.create(1, "s" + std::to_string(i), node)));
  return out;
}

/// Commits all of them; one that lost against others too often is sent again, as its sender would. False if
/// that doesn't end; for any thread.
bool commits(journal& log, std::vector<append> batch) {
  constexpr int tries_most = 1000;
  for (int tries = 0; tries < tries_most && !batch.empty(); ++tries) {
    const auto outcomes = log.append_all(batch);
    if (!outcomes)
      return false;
    std::vector<append> left;
    for (std::size_t i = 0; i < batch.size(); ++i)
      if (!std::holds_alternative<committed>((*outcomes)[i]))
        left.push_back(batch[i]);
    batch = std::move(left);
  }
  return batch.empty();
}

/// Reads behind what it has seen, and holds each event to be the next one.
class tailing_reader {
 public:
  explicit tailing_reader(session_key of) : of_(of) {}
  void read(journal& log) {
    for (const auto& event : must(log.read(of_, seen_, 1000)))
      in_order_ = in_order_ && event.seq == ++seen_;
  }
  std::int64_t seen() const { return in_order_ ? seen_ : -1; }

 private:
  session_key of_;
  std::int64_t seen_ = 0;
  bool in_order_ = true;
};

} // namespace

// B-116: a number that was given later and committed earlier hides no event from who reads on.
BOOST_AUTO_TEST_CASE(a_reader_that_goes_on_from_what_it_saw_misses_nothing) {
  postgres_world world;
  const auto log = world.open();
  const auto rows = rows_of(*log, this_process("one"));
  std::atomic<int> writing{4};
  std::atomic<bool> all{true};
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w)
    writers.emplace_back([&] {
      const auto own = world.open();
      for (int round = 0; round < rounds; ++round) {
        std::vector<append> batch;
        for (const auto& row : rows)
          batch.push_back(append_to(row, std::nullopt, {R"({"n":1})", R"({"n":2})"}));
        all = commits(*own, std::move(batch)) && all;
      }
      --writing;
    });
  std::vector<tailing_reader> readers;
  for (const auto& row : rows)
    readers.emplace_back(row.key);
  while (writing > 0)
    for (auto& reader : readers)
      reader.read(*log);
  for (auto& writer : writers)
    writer.join();
  BOOST_TEST(all);
  for (auto& reader : readers) {
    reader.read(*log);
    BOOST_TEST(reader.seen() == 4 * rounds * 2);
  }
}

// B-120: two that write to the same sessions in opposite order lose nothing to a deadlock.
BOOST_AUTO_TEST_CASE(batches_in_opposite_order_are_all_committed_once) {
  postgres_world world;
  const auto log = world.open();
  const auto rows = rows_of(*log, this_process("one"));
  std::atomic<bool> all{true};
  std::vector<std::thread> writers;
  for (const bool backwards : {false, true})
    writers.emplace_back([&, backwards] {
      const auto own = world.open();
      for (int round = 0; round < 4 * rounds; ++round) {
        std::vector<append> batch;
        for (const auto& row : rows)
          batch.push_back(append_to(row, std::nullopt, {R"({"n":1})"}));
        if (backwards)
          std::reverse(batch.begin(), batch.end());
        all = commits(*own, std::move(batch)) && all;
      }
    });
  for (auto& writer : writers)
    writer.join();
  BOOST_TEST(all);
  for (const auto& row : rows) {
    const auto events = must(log->read(row.key, 0, 10'000));
    BOOST_TEST(events.size() == static_cast<std::size_t>(2 * 4 * rounds));
    BOOST_TEST(must(log->head(row.key)).chain == chain_of(events));
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::persistence
