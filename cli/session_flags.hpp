// The flags that say which session, with which model and tools: of `run` and of `chat`.
#pragma once

#include "cli/surroundings.hpp"

#include <CLI/App.hpp>

namespace troupe::cli {

struct session_flags {
  std::string session;
  std::string provider;
  std::string model;
  std::string effort;
  std::string tools;
  std::string instructions;
  std::string verdict;
  std::string approve;
  bool wait = false;
};

void add_session_flags(CLI::App& command, session_flags& flags);

/// The options that a new session gets.
options options_of(const session_flags& flags, const config::configuration& configuration);

/// What the flags set for a session that exists already.
std::optional<message_settings> settings_of(const session_flags& flags);

/// The session, waited for if another process has it and the flags say so. Says on stderr what a new
/// one is called.
result<actors::session_handle> open_session(actors::node& node, const session_flags& flags,
    const config::configuration& configuration, actors::opening how);

} // namespace troupe::cli
