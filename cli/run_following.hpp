// Follows a session's run on the terminal, to its end.
#pragma once

#include "cli/questions.hpp"

namespace troupe::cli {

struct following {
  answers answer;
  bool json = false;
  std::function<void()> meanwhile; ///< called again and again until it is over; may be empty
};

/// Shows what happens after event `before` until nothing is left to do, or something that nobody here
/// can answer. SIGINT aborts the run, a second one leaves at once. Gives the exit status.
int follow(actors::session_handle& session, actors::live_stream& stream, std::int64_t before, following& how);

} // namespace troupe::cli
