// The commands of `troupe`, each in a file of its own.
#pragma once

#include "cli/surroundings.hpp"

#include <CLI/App.hpp>

namespace troupe::cli {

/// Adds the command with its flags; when it is chosen, `status` becomes its exit status.
void add_run(CLI::App& app, const common_flags& flags, int& status);
void add_chat(CLI::App& app, const common_flags& flags, int& status);
void add_serve(CLI::App& app, const common_flags& flags, int& status);
void add_show(CLI::App& app, const common_flags& flags, int& status);
void add_replay(CLI::App& app, const common_flags& flags, int& status);
void add_archive(CLI::App& app, const common_flags& flags, int& status);
void add_erase(CLI::App& app, const common_flags& flags, int& status);
void add_fork(CLI::App& app, const common_flags& flags, int& status);
void add_export(CLI::App& app, const common_flags& flags, int& status);
void add_import(CLI::App& app, const common_flags& flags, int& status);
void add_sessions(CLI::App& app, const common_flags& flags, int& status);
void add_gym(CLI::App& app, int& status);
void add_migrate(CLI::App& app, const common_flags& flags, int& status);
void add_doctor(CLI::App& app, const common_flags& flags, int& status);

} // namespace troupe::cli
