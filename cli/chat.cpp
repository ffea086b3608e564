// `troupe chat`: a session held line by line, on a terminal or from a script.
#include "cli/commands.hpp"
#include "cli/conversation.hpp"
#include "cli/exit_status.hpp"
#include "cli/session_flags.hpp"

namespace troupe::cli {

namespace {

int chat(const common_flags& common, const session_flags& flags) {
  const auto configuration = load_configuration(common);
  if (!configuration)
    return complain(configuration.error());
  const auto database = library::open_database(*configuration);
  if (!database)
    return complain(database.error());
  const auto node = library::start_node(*configuration, *database);
  if (!node)
    return complain(node.error());
  auto session = open_session(**node, flags, *configuration, actors::opening::either);
  if (!session)
    return complain(session.error());
  line_input input(configuration->data_dir + "/chat_history");
  if (input.terminal())
    std::cerr << "/help lists the commands; Ctrl-C aborts a run, Ctrl-D leaves.\n";
  const auto settings = session->created() ? std::nullopt : settings_of(flags);
  following how{.answer = {flags.approve, flags.verdict, {}, {}}, .json = common.json, .meanwhile = {}};
  return conversation(*session, input, settings, std::move(how)).hold();
}

} // namespace

void add_chat(CLI::App& app, const common_flags& common, int& status) {
  auto flags = std::make_shared<session_flags>();
  auto* const command =
      app.add_subcommand("chat", "The same, line by line: /steer, /compact, /model, /abort, /quit");
  add_session_flags(*command, *flags);
  command->footer(
      "A line is a message. /help lists the commands. While an answer comes, a line waits behind it,\n"
      "/steer TEXT is taken in, Ctrl-C aborts; Ctrl-C twice or Ctrl-D leaves.\n"
      "Examples:\n  troupe chat\n  troupe chat --session demo --tools workspace --approve ask\n"
      "  printf 'Hello\\nWhat did I say?\\n' | troupe chat --session demo");
  command->callback([&, flags] { status = chat(common, *flags); });
}

} // namespace troupe::cli
