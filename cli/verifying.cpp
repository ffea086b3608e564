// Progress goes to stderr, results to stdout: a line a session that differs, or with --json one for each.
#include "cli/verifying.hpp"

#include "actors/history/verification.hpp"
#include "cli/exit_status.hpp"
#include "cli/interrupts.hpp"
#include "cli/transcript.hpp"
#include "messages/json.hpp"

#include <atomic>
#include <mutex>
#include <thread>

namespace troupe::cli {

namespace {

constexpr std::size_t listed_at_once = 1000;
constexpr std::size_t threads_max = 8; ///< each has a connection of its own

std::string as_json(const std::string& id, const actors::verification& found) {
  json::writer out;
  out.begin_object().field("id", id);
  actors::put(out, found);
  return out.end_object().take();
}

std::string as_text(const std::string& id, const actors::verification& found) {
  if (const auto& other = found.first_difference)
    return id + ": event " + std::to_string(other->seq) + " differs, after " + std::to_string(found.events)
        + " good ones\n  expected " + glance(other->expected, 2000) + "\n  found    "
        + glance(other->found, 2000);
  return id + ": " + std::to_string(found.events) + " events, all as the machine decides them"
      + (found.is_whole ? ", and the chain holds" : "");
}

/// What is left to verify, and what came of the rest.
class verification_of_all {
 public:
  verification_of_all(const common_flags& common, std::vector<persistence::session_row> rows)
      : common_(common), rows_(std::move(rows)) {}

  void work(persistence::journal& journal) {
    while (interrupts() == 0) {
      const std::size_t next = next_++;
      if (next >= rows_.size())
        return;
      const auto& row = rows_[next];
      std::int64_t before = 0;
      const auto found = actors::verify_log(journal, row, 0, [&](std::int64_t events) {
        events_ += events - std::exchange(before, events);
        tell_progress();
        return interrupts() == 0;
      });
      tell(row, found);
    }
  }

  int status() {
    const std::lock_guard lock(mutex_);
    std::cerr << (done_ < rows_.size() ? "Stopped: " : "") << done_ << " of " << rows_.size() << " sessions, "
              << events_ << " events: " << different_ << " with a difference, " << failed_
              << " that could not be read\n";
    return different_ + failed_ > 0 || done_ < rows_.size() ? work_failed : done;
  }

 private:
  void tell(const persistence::session_row& row, const result<actors::verification>& found) {
    const std::lock_guard lock(mutex_);
    if (!found
        && (found.error().code == problem_code::not_found || found.error().code == problem_code::cancelled)) {
      done_ += found.error().code == problem_code::not_found ? 1 : 0; // erased since it was listed
      return;
    }
    ++done_;
    if (!found) {
      ++failed_;
      std::cerr << row.id << ": " << for_terminal(found.error().detail) << "\n";
      return;
    }
    different_ += found->first_difference ? 1 : 0;
    if (common_.json)
      std::cout << as_json(row.id, *found) << std::endl;
    else if (found->first_difference)
      std::cout << as_text(row.id, *found) << std::endl;
  }

  void tell_progress() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    const auto now = std::chrono::steady_clock::now();
    if (!lock || now < told_at_ + std::chrono::seconds(2))
      return;
    told_at_ = now;
    std::cerr << done_ << " of " << rows_.size() << " sessions, " << events_ << " events\n";
  }

  const common_flags& common_;
  const std::vector<persistence::session_row> rows_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::int64_t> events_ = 0;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point told_at_ = std::chrono::steady_clock::now();
  std::size_t done_ = 0;
  std::size_t different_ = 0;
  std::size_t failed_ = 0;
};

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

} // namespace

int verify_one(const common_flags& common, const archive& kept, const persistence::session_row& row,
    std::int64_t until) {
  watch_interrupts(2);
  auto told_at = std::chrono::steady_clock::now();
  const auto found = actors::verify_log(*kept.journal, row, until, [&](std::int64_t events) {
    if (const auto now = std::chrono::steady_clock::now(); now > told_at + std::chrono::seconds(2)) {
      told_at = now;
      std::cerr << events << " of " << row.head << " events\n";
    }
    return interrupts() == 0;
  });
  if (!found)
    return complain(found.error());
  std::cout << (common.json ? as_json(row.id, *found) : as_text(row.id, *found)) << std::endl;
  return found->first_difference ? work_failed : done;
}

int verify_all(const common_flags& common) {
  const auto kept = open_archive(common, "default");
  if (!kept)
    return complain(kept.error());
  auto rows = all_sessions(*kept);
  if (!rows)
    return complain(rows.error());
  watch_interrupts(2);
  const std::size_t many =
      std::min({threads_max, std::max<std::size_t>(std::thread::hardware_concurrency(), 1), rows->size()});
  verification_of_all all(common, *std::move(rows));
  std::vector<std::shared_ptr<persistence::journal>> journals;
  for (std::size_t i = 0; i < many; ++i) {
    auto journal = open_journal(kept->database);
    if (!journal)
      return complain(journal.error());
    journals.push_back(*std::move(journal));
  }
  std::vector<std::thread> threads;
  for (const auto& journal : journals)
    threads.emplace_back([&all, journal] { all.work(*journal); });
  for (auto& thread : threads)
    thread.join();
  return all.status();
}

} // namespace troupe::cli
