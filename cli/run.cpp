// `troupe run`: one durable run, from the prompt to the end of the answer.
#include "cli/commands.hpp"
#include "cli/exit_status.hpp"
#include "cli/run_following.hpp"
#include "messages/text.hpp"
#include "persistence/this_process.hpp"

#include <iterator>

#include <poll.h>
#include <unistd.h>

namespace troupe::cli {

namespace {

struct run_flags {
  std::string session;
  std::string provider;
  std::string model;
  std::string effort;
  std::string tools;
  std::string instructions;
  std::string verdict;
  std::string approve;
  std::vector<std::string> prompt;
  bool wait = false;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> out;
  std::string item;
  for (const char c : list + ",") {
    if (c != ',') {
      item.push_back(c);
    } else if (!item.empty()) {
      out.push_back(std::move(item));
      item.clear();
    }
  }
  return out;
}

std::string prompt_of(const run_flags& flags) {
  if (flags.prompt.size() == 1 && flags.prompt.front() == "-")
    return to_utf8(std::string(std::istreambuf_iterator<char>(std::cin), {}));
  std::string prompt;
  for (const auto& word : flags.prompt)
    prompt += (prompt.empty() ? "" : " ") + word;
  return to_utf8(prompt);
}

options options_of(const run_flags& flags, const config::configuration& configuration) {
  options wanted;
  wanted.id = flags.session.empty() ? persistence::new_uuid() : flags.session;
  wanted.provider = flags.provider.empty() ? default_provider(configuration) : flags.provider;
  if (!flags.model.empty())
    wanted.model = flags.model;
  if (!flags.effort.empty())
    wanted.effort = flags.effort;
  if (!flags.instructions.empty())
    wanted.instructions = large_text(to_utf8(flags.instructions));
  if (!flags.tools.empty())
    wanted.tools = split(flags.tools);
  if (flags.approve == "ask")
    wanted.permissions = std::vector<permission_rule>{{"*", permission::ask, std::nullopt}};
  if (flags.approve == "deny")
    wanted.permissions =
        std::vector<permission_rule>{{"*", permission::deny, "Tools are not approved in this run."}};
  const auto provider = configuration.providers.find(*wanted.provider);
  if (provider != configuration.providers.end())
    wanted.max_retries = provider->second.max_retries;
  return wanted;
}

accept_message message_of(const run_flags& flags, bool created, std::string prompt) {
  accept_message message;
  message.content = content(std::move(prompt));
  message_settings settings;
  auto set = [](std::optional<std::string>& to, const std::string& from) {
    if (!from.empty())
      to = from;
  };
  set(settings.provider, flags.provider);
  set(settings.model, flags.model);
  set(settings.effort, flags.effort);
  if (!created && settings != message_settings())
    message.settings = settings;
  return message;
}

int run(const common_flags& common, const run_flags& flags) {
  const auto configuration = load_configuration(common);
  if (!configuration)
    return complain(configuration.error());
  const std::string prompt = prompt_of(flags);
  if (prompt.empty() && !flags.prompt.empty())
    return complain({problem_code::invalid_input,
        "the PROMPT is empty; say something, or leave it out to go on with a --session", {}});
  if (prompt.empty() && flags.session.empty())
    return complain(
        {problem_code::invalid_input, "a PROMPT is missing; or name a --session that is to go on", {}});
  const auto database = open_database(*configuration);
  if (!database)
    return complain(database.error());
  const auto node = start_node(*configuration, *database);
  if (!node)
    return complain(node.error());
  const auto wanted = options_of(flags, *configuration);
  const auto how = prompt.empty() ? actors::opening::find : actors::opening::either;
  auto session = (*node)->open(wanted, how);
  while (!session && session.error().code == problem_code::owned_elsewhere && flags.wait) {
    poll(nullptr, 0, 200); // nobody tells when another process lets go
    session = (*node)->open(wanted, how);
  }
  if (!session)
    return complain(session.error());
  if (session->created() && flags.provider.empty() && configuration->providers.empty())
    std::cerr << "No provider is configured: using the built-in gym, a small model for trying things out.\n";
  if (session->created() && flags.session.empty())
    std::cerr << "session " << session->id() << "\n";
  const std::int64_t before = session->row().head;
  const auto stream = session->follow(before);
  if (!prompt.empty()) {
    const auto accepted = session->post(message_of(flags, session->created(), prompt));
    if (!accepted)
      return complain(accepted.error());
  } else if (const auto look = session->look();
             look && (*look)->parked && session->row().view.status != "failed") {
    std::cerr << "The session is parked: it died again and again. `troupe run --session " << session->id()
              << "` tries anew.\n";
    return work_failed; // parked just now: whoever asked didn't know
  } else if (const auto started = session->order(start{}); !started) {
    return complain(started.error());
  }
  return follow(
      *session, *stream, before, {flags.approve, flags.verdict, isatty(STDIN_FILENO) == 1, {}}, common.json);
}

} // namespace

void add_run(CLI::App& app, const common_flags& common, int& status) {
  auto flags = std::make_shared<run_flags>();
  auto* const command =
      app.add_subcommand("run", "One durable run: the answer on stdout as it comes, tool calls on stderr");
  command->add_option("prompt", flags->prompt,
      "What to say; - reads it from stdin; nothing: the session goes on with what was cut off");
  command->add_option(
      "--session", flags->session, "Its id; one that exists is continued (default: a new one)");
  command->add_option("--provider", flags->provider, "As it is called in the configuration");
  command->add_option("--model", flags->model, "The model's name");
  command->add_option("--effort", flags->effort, "off, minimal, low, medium, high, xhigh or max")
      ->check(CLI::IsMember({"off", "minimal", "low", "medium", "high", "xhigh", "max"}));
  command->add_option("--tools", flags->tools,
      "Tools and toolsets of a new session, separated by commas, as workspace or read_file,shell");
  command->add_option("--instructions", flags->instructions, "The instructions of a new session");
  command
      ->add_option("--approve", flags->approve,
          "ask: a new session asks before each tool; allow, deny: what asks is answered so")
      ->check(CLI::IsMember({"ask", "allow", "deny"}));
  command->add_flag(
      "--wait", flags->wait, "Waits while another process has the session, instead of ending with 1");
  command->add_option("--verdict", flags->verdict, "What becomes of a call that a crash left uncertain")
      ->check(CLI::IsMember({"rerun", "abandon"}));
  command->footer("Examples:\n  troupe run \"What is the capital of Iceland?\"\n  troupe run --session demo "
                  "--tools workspace \"Read notes.txt\"\n"
                  "  troupe run --session demo            # goes on with what was cut off\n  echo \"Why?\" | "
                  "troupe run --session demo -");
  command->callback([&, flags] { status = run(common, *flags); });
}

} // namespace troupe::cli
