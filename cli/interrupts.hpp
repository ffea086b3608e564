// Ctrl-C, counted.
#pragma once

namespace troupe::cli {

/// Counts SIGINT from 0 again. With `leave_at`, that many end the process at once: the log has what
/// there is; 0 never does.
void watch_interrupts(int leave_at);

/// How many there were since.
int interrupts();

} // namespace troupe::cli
