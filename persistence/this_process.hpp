// Who this process is among all processes of all machines, and whether another one is still there.
#pragma once

#include "persistence/journal.hpp"

namespace troupe::persistence {

/// This process as a node, with a new id. Without a name it is called `HOST:PID`.
node_identity this_process(std::string name = {});

/// True if `node` ran on this boot of this machine and its process has ended: its lease is void.
/// Of a process on another machine nothing is known, so that is false.
bool is_gone(const node_identity& node);

/// A new UUIDv7 from the clock and the system's random numbers.
std::string new_uuid();

} // namespace troupe::persistence
