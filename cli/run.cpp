// `troupe run`: one durable run, from the prompt to the end of the answer.
#include "cli/commands.hpp"
#include "cli/exit_status.hpp"
#include "cli/run_following.hpp"
#include "cli/session_flags.hpp"
#include "messages/text.hpp"

#include <iterator>

#include <unistd.h>

namespace troupe::cli {

namespace {

struct run_flags {
  session_flags session;
  std::vector<std::string> prompt;
};

std::string prompt_of(const run_flags& flags) {
  if (flags.prompt.size() == 1 && flags.prompt.front() == "-")
    return to_utf8(std::string(std::istreambuf_iterator<char>(std::cin), {}));
  std::string prompt;
  for (const auto& word : flags.prompt)
    prompt += (prompt.empty() ? "" : " ") + word;
  return to_utf8(prompt);
}

std::optional<std::string> read_answer(const std::string& question) {
  std::cerr << question << std::flush;
  std::string line;
  return std::getline(std::cin, line) ? std::optional(line) : std::nullopt;
}

std::optional<problem> check(const run_flags& flags, const std::string& prompt) {
  if (!flags.prompt.empty() && is_blank(content(prompt)))
    return problem{problem_code::invalid_input,
        "the PROMPT is empty; say something, or leave it out to go on with a --session", {}};
  if (prompt.empty() && flags.session.session.empty())
    return problem{
        problem_code::invalid_input, "a PROMPT is missing; or name a --session that is to go on", {}};
  return std::nullopt;
}

/// Says the prompt, or goes on with what was cut off. The exit status if that is all.
std::optional<int> begin(actors::session_handle& session, const run_flags& flags, std::string prompt) {
  if (!prompt.empty()) {
    accept_message message;
    message.content = content(std::move(prompt));
    if (!session.created())
      message.settings = settings_of(flags.session);
    const auto accepted = session.post(std::move(message));
    return accepted ? std::nullopt : std::optional(complain(accepted.error()));
  }
  if (const auto look = session.look(); look && (*look)->parked && session.row().view.status != "failed") {
    std::cerr << "The session is parked: it died again and again. `troupe run --session " << session.id()
              << "` tries anew.\n";
    return work_failed; // parked just now: whoever asked didn't know
  }
  const auto started = session.order(start{});
  return started ? std::nullopt : std::optional(complain(started.error()));
}

int run(const common_flags& common, const run_flags& flags) {
  const auto configuration = load_configuration(common);
  if (!configuration)
    return complain(configuration.error());
  const std::string prompt = prompt_of(flags);
  if (const auto wrong = check(flags, prompt))
    return complain(*wrong);
  const auto database = library::open_database(*configuration);
  if (!database)
    return complain(database.error());
  const auto node = library::start_node(*configuration, *database);
  if (!node)
    return complain(node.error());
  auto session = open_session(**node, flags.session, *configuration,
      prompt.empty() ? actors::opening::find : actors::opening::either);
  if (!session)
    return complain(session.error());
  const std::int64_t before = session->row().head;
  const auto stream = session->follow(before);
  if (const auto over = begin(*session, flags, prompt))
    return *over;
  following how{
      .answer = {flags.session.approve, flags.session.verdict, {}, {}}, .json = common.json, .meanwhile = {}};
  if (isatty(STDIN_FILENO) == 1)
    how.answer.read = read_answer;
  return follow(*session, *stream, before, how);
}

} // namespace

void add_run(CLI::App& app, const common_flags& common, int& status) {
  auto flags = std::make_shared<run_flags>();
  auto* const command =
      app.add_subcommand("run", "One durable run: the answer on stdout as it comes, tool calls on stderr");
  command->add_option("prompt", flags->prompt,
      "What to say; - reads it from stdin; nothing: the session goes on with what was cut off");
  add_session_flags(*command, flags->session);
  command->footer("Examples:\n  troupe run \"What is the capital of Iceland?\"\n  troupe run --session demo "
                  "--tools workspace \"Read notes.txt\"\n"
                  "  troupe run --session demo            # goes on with what was cut off\n  echo \"Why?\" | "
                  "troupe run --session demo -");
  command->callback([&, flags] { status = run(common, *flags); });
}

} // namespace troupe::cli
