// The tables of the memory journal, and the writes on them: what PostgreSQL does in one statement
// is done here under one lock.
#pragma once

#include "persistence/append_store.hpp"
#include "persistence/memory_journal.hpp"

#include <deque>
#include <mutex>
#include <set>

namespace troupe::persistence {

/// A session's row with its log.
struct memory_session {
  session_row row;
  std::string owner; ///< node id, empty: nobody
  std::optional<timestamp> due_at;
  std::string chain;
  std::string last_append;
  std::vector<recorded_event> events;
  std::map<std::int64_t, std::string> chains; ///< at the ends of appends
  std::map<std::string, std::int64_t> claims;
  std::set<std::string> blobs;             ///< that its log refers to
  std::map<std::int64_t, snapshot> folded; ///< by their places
  std::vector<std::pair<session_key, std::int64_t>>
      lineage; ///< of a fork: what it goes back to, and its cuts
};

struct memory_node {
  node_identity identity;
  timestamp lease_until;
};

/// With content of its own: whoever sent it is gone when it is committed.
struct late_write {
  std::vector<session_write> writes;
  std::deque<std::string> contents;
};

class memory_database {
 public:
  std::mutex mutex;
  timestamp now{1'700'000'000'000'000};
  std::map<std::string, std::int32_t> tenants{{"default", 1}};
  std::map<std::pair<std::int32_t, std::string>, std::int64_t> branches;
  std::map<session_key, memory_session> sessions;
  std::map<std::pair<std::int32_t, std::string>, std::string> blobs;
  std::map<std::string, memory_node> nodes;
  std::int64_t last_branch = 0;

  std::deque<made_fault> faults;
  bool full = false;
  std::deque<late_write> late; ///< sent, and not committed yet
  std::set<std::string> ended; ///< nodes whose process is gone
  std::set<std::string> refused_payloads;
  std::size_t writes = 0;

  memory_session* find(std::int32_t tenant, const std::string& id);
  bool is_alive(const memory_node& node) const;
  void let_go(memory_session& session);
  /// True if anything in the session's log refers to the content.
  bool needs(const memory_session& session, const std::string& name) const;
  /// After a session went, or a part of one.
  void forget_unused_blobs(std::int32_t tenant);
  std::vector<bool> write(const std::vector<session_write>& wanted);
  /// Puts a session there with its first append on top of what it inherited. Throws `database_fault`, then
  /// it isn't there, or nobody knows.
  const memory_session& begin_fork(memory_session session, const log_place& cut, const append& first);
  bool land();

 private:
  bool write_one(const session_write& wanted);
  void meet_fault(const std::vector<session_write>& wanted);
  void put_off(const std::vector<session_write>& wanted);
};

/// The store of one journal; the database is shared.
class memory_append_store final : public append_store {
 public:
  explicit memory_append_store(memory_database& database) : database_(database) {}
  std::vector<bool> write(const std::vector<session_write>& writes) override;
  std::vector<session_facts> look_up(const std::vector<session_question>& questions) override;
  std::vector<recorded_event> read_after(const session_key& session, std::int64_t after) override;
  bool doubt() override { return false; }

 private:
  memory_database& database_;
};

} // namespace troupe::persistence
