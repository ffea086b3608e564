// Ctrl-C, counted and waited for.
#pragma once

#include <chrono>

namespace troupe::cli {

/// Counts SIGINT from 0 again. With `leave_at`, that many end the process at once: the log has what
/// there is; 0 never does.
void watch_interrupts(int leave_at);

/// How many there were since.
int interrupts();

/// Waits for one; true at once when it comes, false when the time is up.
bool interrupted_within(std::chrono::microseconds patience);

} // namespace troupe::cli
