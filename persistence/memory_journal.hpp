// The journal over memory, for tests and for sessions that need not outlive the process. Several
// journals may share one store as nodes share a database; faults can be made to order.
#pragma once

#include "persistence/group_commit.hpp"
#include "persistence/journal.hpp"

namespace troupe::persistence {

class memory_database;

/// A fault that the next write meets.
enum class made_fault {
  fail,        ///< not committed: a serialization failure
  lose_answer, ///< committed, and the connection breaks before the answer
  lose_write,  ///< not committed, and the connection breaks
  full,        ///< not committed: no room, as long as `heal` isn't called
  write_late,  ///< the connection breaks, and it is committed when `land` is called, if it still fits
};

/// What journals over memory share. For any number of threads.
class memory_store {
 public:
  memory_store();
  ~memory_store();
  memory_store(const memory_store&) = delete;
  memory_store& operator=(const memory_store&) = delete;

  /// The next write meets this fault; several are met one after the other.
  void expect(made_fault fault);
  /// Ends `full`.
  void heal();
  /// Commits the oldest write that is late; false if there is none.
  bool land();
  /// The process of this node has ended: it is found dead at once, whatever its lease.
  void bury(const std::string& node_id);
  /// Every write with such a payload in it is refused as not storable.
  void refuse_payload(std::string payload);
  /// Moves the clock that leases are judged by; it stands still otherwise.
  void advance(std::int64_t ms);
  /// How many writes (transactions) there were, those that met a fault counted too.
  std::size_t writes() const;
  /// How many of the faults that were ordered nothing has met yet.
  std::size_t faults_to_meet() const;

 private:
  friend class memory_journal;
  friend std::unique_ptr<journal> make_memory_journal(std::shared_ptr<memory_store> store, patience waiting);
  std::unique_ptr<memory_database> database_;
};

/// A journal over `store`. For one thread but for `stop`, as the one over PostgreSQL.
std::unique_ptr<journal> make_memory_journal(std::shared_ptr<memory_store> store, patience waiting = {});

} // namespace troupe::persistence
