// What is said to the fleet, and to the desk, which asks on behalf of callers outside.
#pragma once

#include "actors/node_parts_settings.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

namespace troupe::actors {

class running_effects;
class session_queues;

struct open_session {
  std::shared_ptr<const options> wanted; ///< `id`, and what a new session begins with
  opening mode = opening::either;
  bool can_ask = true;
};
/// A session that is on this node, and who runs it. There are many, and most rest: it holds little.
struct session_here {
  persistence::session_key key;
  std::string id;
  std::int64_t epoch = 0;
  // as it was loaded
  std::int64_t head = 0;
  std::string status;
  std::int64_t deaths = 0;
  timestamp created_at;
  timestamp updated_at;
  std::int64_t last_end = 0; ///< where the last run in its log ended

  caf::actor agent;
  std::shared_ptr<session_queues> queues;
  std::shared_ptr<running_effects> effects;
};
struct session_opened {
  std::optional<problem> refused;
  bool created = false;
  std::shared_ptr<const session_here> here;
};
/// A session has gone to rest: its agent ends, and with it its lease on the session.
struct session_rests {
  std::string id;
  persistence::session_key session;
  std::int64_t epoch = 0;
  std::shared_ptr<const persistence::snapshot> folded;             ///< null: none worth keeping
  std::shared_ptr<const session::state> context_to_keep = nullptr; ///< null: it keeps its log
};
/// The log of a session that keeps its context alone was shortened, or not; the fleet lets go of it.
struct session_trimmed {
  session_rests what;
  bool keeps_snapshot = false; ///< its log stayed as it was
};
/// What a fleet that shuts down waits for isn't waited for any longer.
struct leave_now {};
/// Sessions of nodes that are gone, and those whose time has come, are taken.
struct take_due {};
/// Answered with `erased` when nothing of the session is left.
struct erase_session {
  std::string id;
};
struct erased {
  std::optional<problem> refused;
};
/// Answered with `forked`: a session that goes on from another one's log at `at`, made and let go of.
struct fork_session_at {
  std::string from;
  std::int64_t at = 0;
  std::string id;
  json::raw changes; ///< options that differ, as JSON; empty: none
};
struct forked {
  std::optional<problem> refused;
};
struct heartbeat_due {};
/// A session whose agent died is loaded again.
struct reopen_due {
  std::string id;
};
struct shut_down {};
struct done {};

// -- to the desk -----------------------------------------------------------------------------------

struct errand {
  std::function<void(caf::event_based_actor*)> what;
};

} // namespace troupe::actors
