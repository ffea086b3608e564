// `troupe fork`: a session that goes on from an event of another one.
#include "cli/commands.hpp"
#include "cli/exit_status.hpp"

namespace troupe::cli {

namespace {

struct fork_flags {
  std::string session;
  std::int64_t at = 0;
  std::string id;
};

int fork(const common_flags& common, const fork_flags& flags) {
  const auto configuration = load_configuration(common);
  if (!configuration)
    return complain(configuration.error());
  const auto database = library::open_database(*configuration);
  if (!database)
    return complain(database.error());
  const auto node = library::start_node(*configuration, *database);
  if (!node)
    return complain(node.error());
  const std::string id = flags.id.empty() ? (*node)->new_id() : flags.id;
  if (const auto made = (*node)->fork(flags.session, flags.at, id, {}); !made)
    return complain(made.error());
  if (common.json) {
    json::writer out;
    out.begin_object().field("id", id).key("forked_from").begin_object().field("session", flags.session);
    out.key("seq").number(flags.at).end_object().end_object();
    std::cout << out.text() << "\n";
  } else {
    std::cout << id << "\n";
  }
  return done;
}

} // namespace

void add_fork(CLI::App& app, const common_flags& common, int& status) {
  auto flags = std::make_shared<fork_flags>();
  auto* const command = app.add_subcommand("fork", "A session that goes on from an event of another one");
  command->add_option("session", flags->session, "The session's id")->required();
  command->add_option("--at", flags->at, "Its log up to this event")->required()->check(CLI::PositiveNumber);
  command->add_option("--id", flags->id, "The new session's id (default: one is made up, and printed)");
  command->footer(
      "What is open at the event is closed in the fork; the other session stays as it is.\n"
      "Examples:\n  troupe fork demo --at 12\n  troupe fork demo --at 12 --id demo-2 && troupe run "
      "--session demo-2 \"Now in French\"");
  command->callback([&, flags] { status = fork(common, *flags); });
}

} // namespace troupe::cli
