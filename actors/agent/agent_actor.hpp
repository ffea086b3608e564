// The agent: one session, one command at a time.
//
//   order ──▶ decide ──▶ append ──▶ evolve ──▶ answer ──▶ reconcile
//               ▲── behind: fold what is missing ──┘
//
// Only the journal is awaited; all else that is slow is an actor of its own, whose answer comes back
// as an order. Whoever asks is answered after the commit.
#pragma once

#include "actors/effects.hpp"
#include "actors/node_parts.hpp"
#include "actors/queue/session_queues.hpp"

#include <caf/exit_reason.hpp>
#include <caf/fwd.hpp>

namespace troupe::actors {

/// What only the beginning of an agent's life needs; it is let go of then.
struct agent_beginning {
  std::shared_ptr<const session::state> state; ///< the fold of the log; null: it is empty
  std::shared_ptr<const options> create;       ///< of a session that has no events yet
  std::string recover_as;                      ///< `crash` or `takeover`; empty for a session that is new
};

struct agent_settings {
  persistence::session_key session;
  std::string id;
  std::int64_t epoch = 0;
  std::shared_ptr<const agent_beginning> beginning;
  tools::offer offer;
  std::shared_ptr<const session::look_ups> known;
  std::shared_ptr<running_effects> effects;
  std::shared_ptr<session_queues> queues;
  std::int64_t kept_seq = 0; ///< of the newest snapshot
  bool can_ask = true;
  caf::actor fleet; ///< to be told when the session goes to rest
};

/// The reason with which an agent ends whose session another node has taken.
inline constexpr caf::exit_reason fenced_exit = caf::exit_reason::kill;

/// Begins with `session_begins`; then answers `order`, `wait_until` and `look`.
caf::behavior agent_actor(
    caf::event_based_actor* self, agent_settings settings, std::shared_ptr<const node_parts> parts);

} // namespace troupe::actors
