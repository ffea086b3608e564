// `troupe erase`: a session is deleted for good, with a receipt.
#include "cli/erasing.hpp"

#include "cli/commands.hpp"
#include "cli/exit_status.hpp"
#include "persistence/this_process.hpp"

namespace troupe::cli {

namespace {

int erase(const common_flags& common, const std::string& session, bool with_forks) {
  const auto kept = open_archive(common, "default");
  if (!kept)
    return complain(kept.error());
  const auto row = find_session(*kept, session);
  if (!row)
    return complain(row.error());
  std::vector<std::string> all;
  if (with_forks) {
    auto forks = kept->journal->forks_of(row->key);
    if (!forks)
      return complain(forks.error());
    all = *std::move(forks);
  }
  all.push_back(session);
  const auto node = persistence::this_process("troupe erase");
  for (const auto& id : all) {
    const auto gone = kept->journal->erase(kept->tenant, id, node);
    if (!gone) {
      if (id != session)
        std::cerr << "What was told is gone; `" << id << "` stays, and so does `" << session << "`.\n";
      return complain(gone.error());
    }
    std::cout << (common.json ? receipt_as_json(id, *gone) : receipt_as_text(id, *gone)) << std::endl;
  }
  return done;
}

} // namespace

void put_receipt(json::writer& out, const erasure_receipt& gone) {
  if (!gone)
    return; // it went at an earlier try, whose answer was lost
  out.key("events").number(gone->events).key("claims").number(gone->claims);
  out.key("snapshots").number(gone->snapshots).key("contents").number(gone->contents);
  out.key("kept_events").number(gone->kept_events);
}

std::string receipt_as_json(const std::string& id, const erasure_receipt& gone) {
  json::writer out;
  out.begin_object().field("id", id);
  put_receipt(out, gone);
  return out.end_object().take();
}

std::string receipt_as_text(const std::string& id, const erasure_receipt& gone) {
  if (!gone)
    return id + ": erased; how much of it is not known, since the database's answer was lost";
  return id + ": erased, with " + std::to_string(gone->events) + " events, " + std::to_string(gone->claims)
      + " claims, " + std::to_string(gone->snapshots) + " snapshots and " + std::to_string(gone->contents)
      + " stored contents"
      + (gone->kept_events > 0 ? "; the " + std::to_string(gone->kept_events)
                  + " events that forks inherited stay, for them only"
                               : "");
}

void add_erase(CLI::App& app, const common_flags& common, int& status) {
  auto session = std::make_shared<std::string>();
  auto with_forks = std::make_shared<bool>(false);
  auto* const command = app.add_subcommand("erase", "Deletes a session for good, and says what went");
  command->add_option("session", *session, "The session's id")->required();
  command->add_flag("--with-forks", *with_forks,
      "Also what was forked from it, and from that; without it what they inherited stays");
  command->footer(
      "Nothing of it can be had back: `troupe export` it first. One that a node runs is refused.\n"
      "Examples:\n  troupe erase demo\n  troupe erase demo --with-forks");
  command->callback([&, session, with_forks] { status = erase(common, *session, *with_forks); });
}

} // namespace troupe::cli
