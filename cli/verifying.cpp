// Progress goes to stderr, results to stdout: a line a session that differs, or with --json one for each.
#include "cli/verifying.hpp"

#include "actors/history/verification.hpp"
#include "cli/every_session.hpp"
#include "cli/exit_status.hpp"
#include "cli/interrupts.hpp"
#include "cli/progress.hpp"
#include "cli/transcript.hpp"
#include "messages/json.hpp"

#include <mutex>

namespace troupe::cli {

namespace {

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
      + (found.is_whole ? ", and the chain holds" : "")
      + (found.begins_after > 0
              ? " (events 1 to " + std::to_string(found.begins_after) + " were removed by retention)"
              : "");
}

/// What came of verifying all.
class verified_sessions {
 public:
  explicit verified_sessions(bool as_json) : as_json_(as_json) {}

  void tell(const persistence::session_row& row, const result<actors::verification>& found) {
    const std::lock_guard lock(mutex_);
    if (!found
        && (found.error().code == problem_code::not_found || found.error().code == problem_code::cancelled))
      return; // erased since it was listed
    if (!found) {
      ++failed_;
      std::cerr << row.id << ": " << for_terminal(found.error().detail) << "\n";
      return;
    }
    different_ += found->first_difference ? 1 : 0;
    if (as_json_)
      std::cout << as_json(row.id, *found) << std::endl;
    else if (found->first_difference)
      std::cout << as_text(row.id, *found) << std::endl;
  }

  int status(const worked_through& all) {
    std::cerr << (all.is_whole() ? "" : "Stopped: ") << all.done << " of " << all.sessions << " sessions, "
              << all.events << " events: " << different_ << " with a difference, " << failed_
              << " that could not be read\n";
    return different_ + failed_ > 0 || !all.is_whole() ? work_failed : done;
  }

 private:
  const bool as_json_;
  std::mutex mutex_;
  std::size_t different_ = 0;
  std::size_t failed_ = 0;
};

} // namespace

int verify_one(const common_flags& common, const archive& kept, const persistence::session_row& row,
    std::int64_t until) {
  watch_interrupts(2);
  progress shown;
  const auto found = actors::verify_log(*kept.journal, row, until, [&](std::int64_t events) {
    shown.tell([&] { return std::to_string(events) + " of " + std::to_string(row.head) + " events"; });
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
  verified_sessions told(common.json);
  const auto all = each_session(*kept,
      [&](persistence::journal& journal, const persistence::session_row& row,
          const session_progress& progress) {
        const auto found = actors::verify_log(journal, row, 0, progress);
        if (found)
          progress(found->events);
        told.tell(row, found);
      });
  return all ? told.status(*all) : complain(all.error());
}

} // namespace troupe::cli
