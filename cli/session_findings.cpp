// A finding a session and a fault; healthy sessions are counted.
#include "cli/session_findings.hpp"

#include "actors/history/examination.hpp"
#include "cli/every_session.hpp"
#include "persistence/orphans.hpp"
#include "persistence/this_process.hpp"

#include <mutex>

namespace troupe::cli {

namespace {

class session_examiner {
 public:
  session_examiner(const archive& kept, bool repair) : kept_(kept), repair_(repair) {}

  void look_at(
      persistence::journal& journal, const persistence::session_row& row, const session_progress& progress) {
    if (!row.begun())
      return; // an orphan
    const auto held = journal.is_held(row.key.tenant, row.id);
    const auto seen = held ? actors::examine_session(journal, row, *held, progress)
                           : result<actors::session_examination>(held.error());
    if (seen)
      progress(seen->events);
    if (note(row, seen) && repair_)
      repair(journal, row.id);
  }

  std::vector<finding> findings(const worked_through& all) {
    findings_.push_back({"sessions", all.is_whole(),
        std::to_string(all.done) + " of " + std::to_string(all.sessions) + " with "
            + std::to_string(all.events) + " events were looked at"});
    return std::move(findings_);
  }

 private:
  /// True if something can be repaired.
  bool note(const persistence::session_row& row, const result<actors::session_examination>& seen) {
    const std::lock_guard lock(mutex_);
    if (!seen) {
      const auto code = seen.error().code;
      if (code != problem_code::not_found && code != problem_code::cancelled)
        findings_.push_back({"session " + row.id, false, seen.error().detail});
      return false;
    }
    bool can_be_repaired = false;
    for (const auto& found : seen->findings) {
      can_be_repaired = can_be_repaired || found.can_be_repaired;
      findings_.push_back({"session " + row.id, repair_ && found.can_be_repaired,
          found.kind + " at event " + std::to_string(found.seq) + ": " + found.what});
    }
    return can_be_repaired;
  }

  void repair(persistence::journal& journal, const std::string& id) {
    const auto node = persistence::this_process("troupe doctor");
    const auto repaired = actors::close_what_is_open(journal, kept_.tenant, id, node);
    journal.leave(node);
    const std::lock_guard lock(mutex_);
    findings_.push_back({"session " + id, repaired.has_value(),
        repaired ? "repaired: its run was ended, nothing was carried out"
                 : "not repaired: " + repaired.error().detail});
  }

  const archive& kept_;
  const bool repair_;
  std::mutex mutex_;
  std::vector<finding> findings_;
};

} // namespace

result<std::vector<finding>> examine_sessions(const common_flags& common, bool repair) {
  const auto kept = open_archive(common, "default");
  if (!kept)
    return kept.error();
  session_examiner examiner(*kept, repair);
  const auto all = each_session(*kept,
      [&](persistence::journal& journal, const persistence::session_row& row,
          const session_progress& progress) { examiner.look_at(journal, row, progress); });
  if (!all)
    return all.error();
  auto findings = examiner.findings(*all);
  const auto orphans = persistence::find_orphans(kept->database.url);
  if (!orphans)
    return orphans.error();
  for (const auto& one : *orphans)
    findings.push_back({"orphans", false, one.what + ", the first: " + one.example});
  if (orphans->empty())
    findings.push_back({"orphans", true, "every row belongs to a session"});
  return findings;
}

} // namespace troupe::cli
