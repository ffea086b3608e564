// The list is read first: a session that is made meanwhile isn't looked at, one that goes is passed over.
#include "cli/every_session.hpp"

#include "cli/interrupts.hpp"
#include "cli/progress.hpp"

#include <atomic>
#include <thread>

namespace troupe::cli {

namespace {

constexpr std::size_t listed_at_once = 1000;
constexpr std::size_t threads_max = 8; ///< each has a connection of its own

using session_work =
    std::function<void(persistence::journal&, const persistence::session_row&, const session_progress&)>;

class working_through {
 public:
  working_through(std::vector<persistence::session_row> rows, const session_work& work)
      : rows_(std::move(rows)), work_(work) {}

  void take_part(persistence::journal& journal) {
    while (interrupts() == 0) {
      const std::size_t next = next_++;
      if (next >= rows_.size())
        return;
      std::int64_t before = 0;
      work_(journal, rows_[next], [&](std::int64_t events) {
        events_ += events - std::exchange(before, events);
        shown_.tell([&] {
          return std::to_string(done_) + " of " + std::to_string(rows_.size()) + " sessions, "
              + std::to_string(events_) + " events";
        });
        return interrupts() == 0;
      });
      if (interrupts() == 0)
        ++done_;
    }
  }

  worked_through result() const { return {rows_.size(), done_, events_}; }

 private:
  const std::vector<persistence::session_row> rows_;
  const session_work& work_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<std::int64_t> events_ = 0;
  progress shown_;
};

} // namespace

result<std::vector<persistence::session_row>> all_sessions(const archive& kept) {
  std::vector<persistence::session_row> all;
  std::optional<persistence::page_mark> page;
  while (true) {
    auto rows = kept.journal->list(kept.tenant, "", listed_at_once, page);
    if (!rows)
      return rows.error();
    all.insert(all.end(), rows->begin(), rows->end());
    if (rows->size() < listed_at_once)
      return all;
    page = persistence::page_mark{rows->back().created_at, rows->back().key.branch};
  }
}

result<worked_through> each_session(const archive& kept, const session_work& work) {
  auto rows = all_sessions(kept);
  if (!rows)
    return rows.error();
  watch_interrupts(2);
  const std::size_t many =
      std::min({threads_max, std::max<std::size_t>(std::thread::hardware_concurrency(), 1), rows->size()});
  working_through all(*std::move(rows), work);
  std::vector<std::shared_ptr<persistence::journal>> journals;
  for (std::size_t i = 0; i < many; ++i) {
    auto journal = library::open_journal(kept.database);
    if (!journal)
      return journal.error();
    journals.push_back(*std::move(journal));
  }
  std::vector<std::thread> threads;
  for (const auto& journal : journals)
    threads.emplace_back([&all, journal] { all.take_part(*journal); });
  for (auto& thread : threads)
    thread.join();
  return all.result();
}

} // namespace troupe::cli
