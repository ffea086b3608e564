// The processes of a server, told by what they are and where they work.
#pragma once

#include <filesystem>

#include <sys/types.h>

namespace troupe::persistence {

/// The postmaster that the pid file names, or 0.
pid_t pid_in(const std::filesystem::path& pid_file);

/// Whether the process is a server's that works in `data`, as every process of a server does. One
/// whose folder may not be read (root in a container) counts: better no start than two servers.
bool works_in(pid_t pid, const std::filesystem::path& data);

bool any_process_works_in(const std::filesystem::path& data);

} // namespace troupe::persistence
