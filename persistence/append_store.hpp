// What committing appends needs of a store; the rest (numbers, chain, who is behind) is the same
// over PostgreSQL and over memory.
#pragma once

#include "persistence/journal.hpp"

namespace troupe::persistence {

/// An event with everything that its row has.
struct event_row {
  recorded_event event;
  std::string chain; ///< 32 bytes on the last event of an append, else empty
};

struct claim_row {
  std::string claim;
  std::int64_t seq = 0;
};

/// What a branch refers to. Without content: it is known to be stored.
struct blob_row {
  std::string name;
  const std::string* content = nullptr;
};

/// One or more appends of one session, written whole or not at all.
struct session_write {
  session_key session;
  std::int64_t epoch = 0;
  std::int64_t base = 0; ///< the head that it goes on from
  std::int64_t head = 0; ///< the head that it leaves
  std::string chain;     ///< at `head`
  std::string last_append;
  timestamp last_at; ///< of the last event, as far as it is known
  std::optional<session_view> view;
  bool wakes = false; ///< without a view: `needs_work` becomes true
  std::vector<event_row> events;
  std::vector<claim_row> claims;
  std::vector<blob_row> blobs;
  std::vector<std::size_t> appends; ///< which appends of the batch these are, in order
};

/// The session's row as far as appends are concerned, and the claims that are taken.
struct session_facts {
  bool exists = false;
  std::int64_t epoch = 0;
  std::int64_t head = 0;
  std::string chain;
  std::string last_append;
  timestamp last_at;            ///< of the event at the head
  std::vector<claim_row> taken; ///< of those asked for
};

struct session_question {
  session_key session;
  std::vector<std::string> claims;
};

/// Every function throws `database_fault`.
class append_store {
 public:
  virtual ~append_store() = default;
  /// Writes each session whose epoch and head match and whose claims are new; true for those.
  virtual std::vector<bool> write(const std::vector<session_write>& writes) = 0;
  virtual std::vector<session_facts> look_up(const std::vector<session_question>& questions) = 0;
  /// All events after `after`, in order.
  virtual std::vector<recorded_event> read_after(const session_key& session, std::int64_t after) = 0;
  /// Forgets what it believes to be stored (blobs), since a write was refused that may have relied
  /// on it. False if there was nothing to forget.
  virtual bool doubt() = 0;
};

} // namespace troupe::persistence
