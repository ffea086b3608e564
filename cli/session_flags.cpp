// From flags to a session's options, and to the session.
#include "cli/session_flags.hpp"

#include "messages/text.hpp"
#include "persistence/this_process.hpp"

#include <iostream>

#include <poll.h>

namespace troupe::cli {

namespace {

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

} // namespace

void add_session_flags(CLI::App& command, session_flags& flags) {
  command.add_option("--session", flags.session, "Its id; one that exists is continued (default: a new one)");
  command.add_option("--provider", flags.provider, "As it is called in the configuration");
  command.add_option("--model", flags.model, "The model's name");
  command.add_option("--effort", flags.effort, "off, minimal, low, medium, high, xhigh or max")
      ->check(CLI::IsMember({"off", "minimal", "low", "medium", "high", "xhigh", "max"}));
  command.add_option("--tools", flags.tools,
      "Tools and toolsets of a new session, separated by commas, as workspace or read_file,shell");
  command.add_option("--instructions", flags.instructions, "The instructions of a new session");
  command
      .add_option("--approve", flags.approve,
          "ask: a new session asks before each tool; allow, deny: what asks is answered so")
      ->check(CLI::IsMember({"ask", "allow", "deny"}));
  command.add_flag(
      "--wait", flags.wait, "Waits while another process has the session, instead of ending with 1");
  command
      .add_option(
          "--verdict", flags.verdict, "What becomes of a call that a crash or a failure left uncertain")
      ->check(CLI::IsMember({"rerun", "abandon"}));
}

options options_of(const session_flags& flags, const config::configuration& configuration) {
  options wanted;
  wanted.id = flags.session.empty() ? persistence::new_uuid() : flags.session;
  wanted.provider = flags.provider.empty() ? library::default_provider(configuration) : flags.provider;
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

std::optional<message_settings> settings_of(const session_flags& flags) {
  message_settings settings;
  auto set = [](std::optional<std::string>& to, const std::string& from) {
    if (!from.empty())
      to = from;
  };
  set(settings.provider, flags.provider);
  set(settings.model, flags.model);
  set(settings.effort, flags.effort);
  return settings == message_settings() ? std::nullopt : std::optional(settings);
}

result<actors::session_handle> open_session(actors::node& node, const session_flags& flags,
    const config::configuration& configuration, actors::opening how) {
  const auto wanted = options_of(flags, configuration);
  auto session = node.open(wanted, how);
  while (!session && session.error().code == problem_code::owned_elsewhere && flags.wait) {
    poll(nullptr, 0, 200); // nobody tells when another process lets go
    session = node.open(wanted, how);
  }
  if (!session)
    return session;
  if (session->created() && flags.provider.empty() && configuration.providers.empty())
    std::cerr << "No provider is configured: using the built-in gym, a small model for trying things out.\n";
  if (session->created() && flags.session.empty())
    std::cerr << "session " << session->id() << "\n";
  return session;
}

} // namespace troupe::cli
