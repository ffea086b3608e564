// `troupe erase`: a session is deleted for good.
#include "cli/commands.hpp"
#include "cli/exit_status.hpp"
#include "persistence/this_process.hpp"

namespace troupe::cli {

namespace {

// What goes is read before, for the receipt: afterwards nobody knows.
int erase(const common_flags& common, const std::string& session) {
  const auto kept = open_archive(common, "default");
  if (!kept)
    return complain(kept.error());
  const auto row = find_session(*kept, session);
  if (!row)
    return complain(row.error());
  const auto node = persistence::this_process("troupe erase");
  if (const auto gone = kept->journal->erase(kept->tenant, session, node); !gone)
    return complain(gone.error());
  if (common.json) {
    json::writer out;
    out.begin_object().field("id", session).key("events").number(row->head).end_object();
    std::cout << out.text() << "\n";
  } else {
    std::cout << session << ": erased, with its " << row->head
              << " events; what forks inherited stays, for them only\n";
  }
  return done;
}

} // namespace

void add_erase(CLI::App& app, const common_flags& common, int& status) {
  auto session = std::make_shared<std::string>();
  auto* const command = app.add_subcommand("erase", "Deletes a session for good");
  command->add_option("session", *session, "The session's id")->required();
  command->footer(
      "Nothing of it can be had back: `troupe export` it first. One that a node runs is refused.\n"
      "Examples:\n  troupe erase demo");
  command->callback([&, session] { status = erase(common, *session); });
}

} // namespace troupe::cli
