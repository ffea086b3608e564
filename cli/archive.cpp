// `troupe archive`: sessions that have rested for long become compressed files, and leave the database.
//
// A session is taken first, so that nothing is added to it meanwhile; it is erased when its file is on the
// disk and was read again, every decision of it.
#include "actors/history/export_log.hpp"
#include "actors/history/exported_log_check.hpp"
#include "cli/commands.hpp"
#include "cli/erasing.hpp"
#include "cli/every_session.hpp"
#include "cli/exit_status.hpp"
#include "cli/interrupts.hpp"
#include "cli/log_file.hpp"
#include "persistence/this_process.hpp"

#include <filesystem>

namespace troupe::cli {

namespace {

constexpr std::int64_t lease_ms = 60'000;
constexpr std::int64_t microseconds_a_day = std::int64_t{24} * 3600 * 1'000'000;

struct archive_flags {
  std::vector<std::string> sessions;
  std::int64_t days = 0;
  std::string folder;
  bool dry = false;
};

struct archived {
  std::string file;
  persistence::erasure gone;
};

problem in_the_way(const std::string& file) {
  return {problem_code::conflict, "`" + file + "` is there already; name another folder", {}};
}

result<void> write_checked(
    persistence::journal& journal, const persistence::session_row& row, const std::string& file) {
  log_destination where;
  if (auto opened = where.open(file); !opened)
    return opened;
  const auto came = actors::export_log(journal, row, [&](const std::string& lines) {
    where.out() << lines;
    return where.out().good() && interrupts() == 0;
  });
  if (!where.finish(came.has_value()) || !came)
    return interrupts() > 0 ? problem{problem_code::cancelled, "stopped", {}}
        : came              ? problem{problem_code::invalid_input, "`" + file + "` can't be written", {}}
                            : came.error();
  const auto again = read_log_file(file);
  if (!again)
    return again.error();
  const auto checked = actors::check_exported_log(**again, [](std::int64_t) { return interrupts() == 0; });
  if (!checked)
    return checked.error();
  if (checked->what.session != row.id || checked->what.events != row.head)
    return problem{problem_code::corrupt, "`" + file + "` isn't what was written to it", {}};
  return {};
}

class archivist {
 public:
  archivist(const archive& kept, const persistence::node_identity& node, std::string folder)
      : kept_(kept), node_(node), folder_(std::move(folder)) {}
  ~archivist() { kept_.journal->leave(node_); }
  archivist(const archivist&) = delete;
  archivist& operator=(const archivist&) = delete;

  result<archived> put_away(const persistence::session_row& listed) {
    archived out{folder_ + "/" + listed.id + ".jsonl.gz", {}};
    std::error_code absent;
    if (std::filesystem::exists(out.file, absent))
      return in_the_way(out.file);
    auto& journal = *kept_.journal;
    if (const auto alive = journal.heartbeat(node_, lease_ms); !alive)
      return alive.error();
    const auto taken = journal.take(kept_.tenant, listed.id, node_);
    if (!taken)
      return taken.error();
    const auto& row = taken->row;
    if (row.head != listed.head) {
      journal.release(row.key, row.epoch);
      return problem{problem_code::conflict, "something came while it was put away", {}};
    }
    const auto stored = write_checked(journal, row, out.file);
    const auto gone = stored ? erase_unless_changed(row) : stored.error();
    if (!gone) {
      journal.release(row.key, row.epoch);
      std::filesystem::remove(out.file, absent);
      return gone.error();
    }
    out.gone = *gone;
    return out;
  }

 private:
  // No lease is as long as a log may take: whoever had the session meanwhile may have added to it.
  result<persistence::erasure> erase_unless_changed(const persistence::session_row& written) {
    auto& journal = *kept_.journal;
    if (const auto alive = journal.heartbeat(node_, lease_ms); !alive)
      return alive.error();
    const auto again = journal.take(kept_.tenant, written.id, node_);
    if (!again)
      return again.error();
    if (again->row.head != written.head) {
      journal.release(again->row.key, again->row.epoch);
      return problem{problem_code::conflict, "something came while it was put away", {}};
    }
    return journal.erase(kept_.tenant, written.id, node_);
  }

  const archive& kept_;
  const persistence::node_identity& node_;
  const std::string folder_;
};

/// Those that rest, and have for so long; of names, these alone.
result<std::vector<persistence::session_row>> chosen(
    const archive& kept, const persistence::node_identity& node, const archive_flags& flags) {
  std::vector<persistence::session_row> out;
  if (!flags.sessions.empty()) {
    for (const auto& id : flags.sessions) {
      auto row = find_session(kept, id);
      if (!row)
        return row.error();
      out.push_back(*std::move(row));
    }
    return out;
  }
  auto rows = all_sessions(kept);
  if (!rows)
    return rows.error();
  const auto now = kept.journal->heartbeat(node, lease_ms); // by the database's clock
  if (!now)
    return now.error();
  const std::int64_t before = now->microseconds - flags.days * microseconds_a_day;
  for (auto& row : *rows)
    if (row.begun() && row.updated_at.microseconds <= before && !row.view.needs_work
        && row.view.status != "running" && row.view.status != "waiting")
      out.push_back(std::move(row));
  return out;
}

void tell(const common_flags& common, const std::string& id, const archived& done) {
  if (!common.json) {
    std::cout << id << ": in " << done.file << "; " << receipt_as_text(id, done.gone) << std::endl;
    return;
  }
  json::writer out;
  out.begin_object().field("id", id).field("file", done.file).key("erased").begin_object();
  put_receipt(out, done.gone);
  std::cout << out.end_object().end_object().text() << std::endl;
}

int put_away(const common_flags& common, const archive_flags& flags) {
  if (flags.sessions.empty() && flags.days == 0)
    return complain({problem_code::invalid_input,
        "say which: sessions by their ids, or `--older-than DAYS` for those in which nothing has happened "
        "since",
        {}});
  std::error_code failed;
  std::filesystem::create_directories(flags.folder, failed);
  if (failed)
    return complain(
        {problem_code::invalid_input, "`" + flags.folder + "` is no folder that can be made", {}});
  const auto kept = open_archive(common, "default");
  if (!kept)
    return complain(kept.error());
  const auto node = persistence::this_process("troupe archive");
  archivist keeper(*kept, node, flags.folder);
  const auto rows = chosen(*kept, node, flags);
  if (!rows)
    return complain(rows.error());
  watch_interrupts(2);
  std::size_t left = 0;
  for (const auto& row : *rows) {
    if (interrupts() > 0)
      return complain({problem_code::cancelled, "stopped; what was told is in its file", {}});
    if (flags.dry) {
      std::cout << row.id << std::endl;
      continue;
    }
    const auto came = keeper.put_away(row);
    if (came)
      tell(common, row.id, *came);
    else
      std::cerr << row.id << ": stays: " << for_terminal(came.error().detail) << "\n";
    left += came ? 0 : 1;
  }
  if (rows->empty())
    std::cerr << "No session has rested for so long.\n";
  return left > 0 ? work_failed : done;
}

} // namespace

void add_archive(CLI::App& app, const common_flags& common, int& status) {
  auto flags = std::make_shared<archive_flags>();
  auto* const command = app.add_subcommand(
      "archive", "Moves sessions that rest to compressed files, from which `troupe import` brings them back");
  command->add_option("sessions", flags->sessions, "Their ids");
  command->add_option("--older-than", flags->days, "All in which nothing has happened for so many days")
      ->check(CLI::PositiveNumber);
  command->add_option("--to", flags->folder, "The folder for the files, SESSION.jsonl.gz each")->required();
  command->add_flag("--dry-run", flags->dry, "Only says which");
  command->footer(
      "A file is written, read again and verified before its session is erased. One that a node runs, "
      "or in which something is to be done, stays.\n"
      "Examples:\n  troupe archive --older-than 90 --to archive\n  troupe archive demo --to archive\n"
      "  troupe import archive/demo.jsonl.gz");
  command->callback([&, flags] { status = put_away(common, *flags); });
}

} // namespace troupe::cli
