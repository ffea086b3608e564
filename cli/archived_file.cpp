// Whatever isn't what the log is now is no copy of it.
#include "cli/archived_file.hpp"

#include "actors/history/export_log.hpp"
#include "actors/history/exported_log_check.hpp"
#include "cli/interrupts.hpp"
#include "cli/log_file.hpp"

#include <filesystem>

namespace troupe::cli {

namespace {

/// What a file says the log is, if all of it is right.
result<actors::checked_log> read_checked(const std::string& file) {
  const auto log = read_log_file(file);
  return log ? actors::check_exported_log(**log, [](std::int64_t) { return interrupts() == 0; })
             : log.error();
}

bool is_all_of(const actors::checked_log& file, const persistence::session_row& row) {
  return file.what.session == row.id && file.begins.seq + file.what.events == row.head;
}

/// Whether an earlier try has written the file, and died before the session was erased.
bool was_written_before(
    persistence::journal& journal, const persistence::session_row& row, const std::string& file) {
  std::error_code absent;
  if (!std::filesystem::is_regular_file(file, absent))
    return false;
  const auto there = read_checked(file);
  const auto head = there && is_all_of(*there, row) ? journal.head(row.key) : problem{};
  return head && head->seq == row.head && head->chain == there->chain;
}

} // namespace

result<void> write_checked(
    persistence::journal& journal, const persistence::session_row& row, const std::string& file) {
  if (was_written_before(journal, row, file))
    return {};
  log_destination where;
  if (auto opened = where.open(file, name_in_use::kept); !opened)
    return opened;
  const auto came = actors::export_log(journal, row, [&](const std::string& lines) {
    where.out() << lines;
    return where.out().good() && interrupts() == 0;
  });
  if (auto finished = where.finish(came.has_value()); !finished)
    return finished;
  if (!came)
    return interrupts() > 0 ? problem{problem_code::cancelled, "stopped", {}} : came.error();
  const auto checked = read_checked(file);
  if (checked && is_all_of(*checked, row))
    return {};
  std::error_code failed;
  std::filesystem::remove(file, failed); // it is ours, and the session is there
  return checked ? problem{problem_code::corrupt, "`" + file + "` isn't what was written to it", {}}
                 : checked.error();
}

} // namespace troupe::cli
