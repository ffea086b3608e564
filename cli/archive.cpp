// `troupe archive`: sessions that have rested for long become compressed files, and leave the database.
//
// A session is taken first, so that nothing is added to it meanwhile; it is erased when its file is on the
// disk and was read again, every decision of it.
#include "cli/archived_file.hpp"
#include "cli/commands.hpp"
#include "cli/erasing.hpp"
#include "cli/every_session.hpp"
#include "cli/exit_status.hpp"
#include "cli/interrupts.hpp"
#include "persistence/this_process.hpp"
#include "session/snapshot.hpp"

#include <filesystem>

namespace troupe::cli {

namespace {

constexpr std::int64_t lease_ms = 60'000;
constexpr std::int64_t days_max = 36'500;
constexpr std::int64_t microseconds_a_day = std::int64_t{24} * 3600 * 1'000'000;

struct archive_flags {
  std::vector<std::string> sessions;
  std::int64_t days = 0;
  std::string folder;
  bool dry = false;
};

struct archived {
  std::string file;
  erasure_receipt gone;
};

bool rests(const persistence::session_row& row) {
  return row.begun() && !row.view.needs_work && row.view.status != "running" && row.view.status != "waiting";
}

problem changed(const std::string& id) {
  return {problem_code::conflict, "something came to `" + id + "` while it was put away; try again", {}};
}

class archivist {
 public:
  archivist(const archive& kept, const persistence::node_identity& node, std::string folder)
      : kept_(kept), node_(node), folder_(std::move(folder)) {}
  ~archivist() { kept_.journal->leave(node_); }
  archivist(const archivist&) = delete;
  archivist& operator=(const archivist&) = delete;

  result<archived> put_away(const std::string& id) {
    auto row = take(id);
    if (!row)
      return row.error();
    auto done = put_away(*row);
    if (!done) // whoever has taken it since has another epoch
      kept_.journal->release(row->key, row->epoch);
    return done;
  }

 private:
  /// Renews the lease with it.
  result<persistence::session_row> take(const std::string& id) {
    if (const auto alive = kept_.journal->heartbeat(node_, lease_ms); !alive)
      return alive.error();
    const auto taken = kept_.journal->take(kept_.tenant, id, node_, session::snapshot_version);
    return taken ? taken->row : result<persistence::session_row>(taken.error());
  }

  // No lease is as long as a log may take: whoever had the session meanwhile may have added to it. So it is
  // taken once more, and erased only as it was then.
  result<archived> put_away(persistence::session_row& row) {
    if (!rests(row))
      return problem{problem_code::conflict,
          "something runs, waits or is to be done in `" + row.id + "`; finish or abort it first", {}};
    archived out{folder_ + "/" + row.id + ".jsonl.gz", {}};
    if (const auto stored = write_checked(*kept_.journal, row, out.file); !stored)
      return stored.error();
    auto again = take(row.id);
    if (again && again->head != row.head)
      again = changed(row.id);
    if (again)
      row.epoch = again->epoch;
    const auto gone = again ? kept_.journal->erase(
                          kept_.tenant, row.id, node_, persistence::session_hold{row.key.branch, row.epoch})
                            : again.error();
    if (gone)
      out.gone = *gone;
    return gone ? result<archived>(out) : without_knowing(row, out, gone.error());
  }

  // The file is the session's only copy unless the session is seen to be there.
  result<archived> without_knowing(
      const persistence::session_row& row, const archived& out, const problem& why) {
    const auto there = kept_.journal->find(kept_.tenant, row.id);
    if (!there && there.error().code == problem_code::not_found)
      return out;
    if (!there)
      return problem{why.code,
          "whether `" + row.id + "` is still in the database isn't known; `" + out.file
              + "` has all of it: " + why.detail,
          {}};
    std::error_code failed;
    std::filesystem::remove(out.file, failed);
    return why;
  }

  const archive& kept_;
  const persistence::node_identity& node_;
  const std::string folder_;
};

/// Of names, these alone; else those that rest, and have for so long.
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
    if (row.updated_at.microseconds <= before && rests(row))
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
  if (!flags.sessions.empty() && flags.days > 0)
    return complain({problem_code::invalid_input,
        "either sessions by their ids, or `--older-than`, which chooses them", {}});
  std::error_code failed;
  if (!flags.dry)
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
    const auto came = keeper.put_away(row.id);
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
      ->check(CLI::Range(std::int64_t{1}, days_max));
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
