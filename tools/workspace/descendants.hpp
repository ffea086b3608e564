// Finding and signalling the children of the calling process, and closing ranges of descriptors,
// with async-signal-safe calls only.
#pragma once

namespace troupe::tools {

/// Sends `signal` to every child of the calling (single-threaded) process.
void kill_children(int signal);

/// Sends `signal` to the process group of every child of `parent`. True if one of them took it.
bool kill_groups_of_children(int parent, int signal);

/// Closes the descriptors `first` to `last`; -1 as `last` means all that follow.
void close_range_of(int first, int last);

} // namespace troupe::tools
