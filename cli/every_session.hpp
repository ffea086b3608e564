// One piece of work for every session of a tenant, by several threads, with progress.
#pragma once

#include "cli/surroundings.hpp"

namespace troupe::cli {

/// Hears how many events of the session are done; false: enough.
using session_progress = std::function<bool(std::int64_t)>;

struct worked_through {
  std::size_t sessions = 0; ///< that there were
  std::size_t done = 0;
  std::int64_t events = 0;
  bool is_whole() const { return done == sessions; }
};

/// All of a tenant's, newest first. Errors: `unavailable`.
result<std::vector<persistence::session_row>> all_sessions(const archive& kept);

/// Calls `work` for each session, as many at once as there are processors, each thread with a journal of its
/// own; what `work` itself tells, it tells under a lock. Says how far it is every two seconds; Ctrl-C ends it
/// after what is under way. Errors: `unavailable`.
result<worked_through> each_session(const archive& kept,
    const std::function<void(
        persistence::journal&, const persistence::session_row&, const session_progress&)>& work);

} // namespace troupe::cli
