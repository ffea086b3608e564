// Plans how a batch of appends becomes writes: gives the sequence numbers, makes the chain, puts
// appends of one session on top of each other, and says who is behind. Pure: it knows no database.
#pragma once

#include "persistence/append_store.hpp"
#include "persistence/known_heads.hpp"

namespace troupe::persistence {

/// Puts an append on top of a write: its events get their numbers, their times and their chain.
void stack(session_write& write, const append& append);

class append_batch {
 public:
  /// Both must outlive the plan. What breaks a rule by itself is refused here already.
  append_batch(const std::vector<append>& appends, known_heads& heads);

  bool done() const { return open_ == 0; }
  /// One outcome an append, in order; once `done`.
  std::vector<append_outcome> take_outcomes();

  /// Sessions whose head isn't known, and what the store says of them.
  std::vector<session_question> questions() const;
  void learn(const session_key& session, const session_facts& facts);

  /// The next statement's worth: what fits on its session's head, at most this many appends (at
  /// least one) and about this many bytes. Fences and marks as behind on the way.
  std::vector<session_write> next(std::size_t appends_max, std::size_t bytes_max);

  /// An append that is behind further than memory reaches.
  struct gap {
    std::size_t append = 0;
    session_key session;
    std::int64_t after = 0;
  };
  /// Those that `next` found and memory couldn't answer; each must be filled.
  std::vector<gap> take_gaps() { return std::exchange(gaps_, {}); }
  void fill(const gap& found, std::vector<recorded_event> missing);

  /// The write is in the log.
  void commit(session_write write);
  /// The store didn't make the write; `facts` tell why.
  void explain(session_write write, const session_facts& facts);
  void refuse(std::size_t append, problem why);

 private:
  /// A session of the batch: its unanswered appends and where its log ends.
  struct session_line {
    session_key session;
    std::vector<std::size_t> appends;
    bool known = false;
    bool fresh = false; ///< the head was read from the store during this batch
    int stalls = 0;     ///< writes that weren't made for no reason to be seen
    std::int64_t epoch = 0;
    std::int64_t head = 0;
    std::string chain;
    timestamp last_at;
  };

  void answer(std::size_t append, append_outcome outcome);
  session_line& line_of(const session_key& session) { return lines_[by_key_.at(session)]; }
  /// Whether the append can go on top of `write`; answers it or asks for its head if it never can.
  bool fits(session_line& line, std::size_t append, const session_write& write);
  void answer_behind(const session_line& line, std::size_t append);

  const std::vector<append>& appends_;
  known_heads& heads_;
  std::vector<session_line> lines_;
  std::map<session_key, std::size_t> by_key_;
  std::vector<std::optional<append_outcome>> outcomes_;
  std::vector<gap> gaps_;
  std::size_t open_ = 0;
};

} // namespace troupe::persistence
