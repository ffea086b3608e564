// An append: what the journal is asked for, and what came of it.
#pragma once

#include "messages/event.hpp"
#include "messages/problem.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace troupe::persistence {

/// Names a session within a database. `branch` is where its events are.
struct session_key {
  std::int32_t tenant = 1;
  std::int64_t branch = 0;
  auto operator<=>(const session_key&) const = default;
};

/// What the session's row says besides the head; written in the same statement as the events.
struct session_view {
  std::string status = "idle"; ///< `idle`, `running`, `waiting`, `failed`, `closed`
  bool needs_work = false;     ///< a node should load it and go on
  std::optional<timestamp> wake_at;
  std::string views = "{}"; ///< JSON: usage, open decisions, the last run's error
};

/// An event that has no place yet.
struct draft_event {
  std::string type;
  std::int16_t version = 1;
  timestamp at;
  std::optional<std::string> run_id; ///< UUID in lower case
  std::string payload;               ///< JSON text
};

struct blob {
  std::string name; ///< `sha256:HEX`
  std::string content;
};

/// The most that one append may hold; what is over it is `refused` as too large.
inline constexpr std::size_t append_events_max = 10'000;
inline constexpr std::size_t append_bytes_max = 64 * 1024 * 1024;

/// One append: all of it is committed or none. It has at least one event.
struct append {
  session_key session;
  std::int64_t epoch = 0;
  /// The head that it was decided on; absent for what is right on any head (`message.queued` alone).
  std::optional<std::int64_t> expected_head;
  command_kind command = command_kind::create_session;
  std::vector<draft_event> events;
  std::vector<blob> blobs;          ///< what the events refer to; what is known to be stored isn't sent again
  std::vector<std::string> claims;  ///< message ids and idempotency keys that must be new in this session
  std::string append_id;            ///< a new UUID in lower case, by which an unknown outcome is looked up
  std::optional<session_view> view; ///< absent: the row's stays
  bool wakes = false; ///< of an idle session; without a view: the row's `needs_work` becomes true, so that a
                      ///< message whose owner dies isn't left lying
};

struct committed {
  std::vector<recorded_event> events;
};
/// The head has moved; `missing` are the events after `expected_head`, in order.
struct behind {
  std::vector<recorded_event> missing;
};
/// A claim was taken before by the event at `seq`.
struct claim_taken {
  std::string claim;
  std::int64_t seq = 0;
};
/// Another node has the session now (or it was erased: epoch 0): whoever holds it here must let go.
struct fenced {
  std::int64_t epoch = 0;
};
/// Refused for what it is (too large, not storable); nothing changed.
struct refused {
  problem why;
};

using append_outcome = std::variant<committed, behind, claim_taken, fenced, refused>;

} // namespace troupe::persistence
