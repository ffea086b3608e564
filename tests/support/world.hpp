// A whole session in memory: the machine, a scripted model and tools, crashes at will. The same
// commands give the same log.
#pragma once

#include "session/decide.hpp"
#include "session/evolve.hpp"
#include "session/work.hpp"

#include <set>
#include <stdexcept>

namespace troupe::testing {

/// Gives ids that count, and remembers them so that a decision can be made again.
class counting_ids : public id_source {
 public:
  std::string next() override;
  std::uint64_t given = 0;
};

/// After so long the calls of clients are overdue.
inline constexpr std::int64_t client_timeout_ms = 60'000;

/// One append, with all that its decision was made from.
struct world_append {
  command what;
  std::size_t log_before = 0;
  std::size_t events = 0;
  std::uint64_t ids_before = 0;
  timestamp at;
  bool compaction_wanted = false;
};

class world {
 public:
  explicit world(troupe::options options = {});

  /// Decides and appends; gives the refusal, if it is one.
  std::optional<problem> apply(const command& what);
  /// What the session owes itself, until it waits for somebody.
  void settle();
  /// Forgets all but the log, and recovers from it.
  void crash();
  /// As whoever holds the session does when its owners die again and again.
  void park();
  /// Answers whatever is open, the dullest way, until the session is idle.
  void drive_to_idle();
  /// As `like`, but of this log, which may end anywhere; nothing is recovered yet.
  static world of(const world& like, std::vector<event> log);
  /// The same, from a log that ends anywhere, and recovered.
  static world from(const world& other, std::size_t log_size);

  /// The answer of the model to the open inference, if there is one.
  void answer(std::string stop, std::vector<block> blocks);
  void fail_answer(std::string message);
  /// The provider says that the context is too long.
  void fail_for_length();
  /// Ends the n-th running call, counted around.
  void finish_tool(std::size_t n, bool is_error, bool terminate);
  /// Ends the open compaction, if there is one.
  void end_compaction(bool fails);
  /// The result of the n-th call that a client carries out.
  void bring_result(std::size_t n, bool is_error);
  /// Until every call of a client is overdue.
  void let_time_pass();

  const session::state& now() const { return state_; }
  const std::vector<event>& log() const { return log_; }
  const std::vector<world_append>& appends() const { return appends_; }
  session::inputs inputs(id_source& ids, timestamp at) const;
  static const std::set<std::string>& durable_tools();
  session::look_ups known;
  bool compaction_wanted = false;

 private:
  session::state state_;
  std::vector<event> log_;
  std::vector<world_append> appends_;
  counting_ids ids_;
  timestamp clock_{1'000'000};
};

/// A call block of one of the world's tools.
block call_of(const std::string& name, const std::string& call_id);

/// The newest event of this type in the world's log.
template <class T> const T& last(const world& w) {
  for (auto event = w.log().rbegin(); event != w.log().rend(); ++event)
    if (const auto* const held = std::get_if<T>(&event->data))
      return *held;
  throw std::runtime_error("no such event");
}

template <class T> std::size_t count(const world& w) {
  std::size_t found = 0;
  for (const auto& event : w.log())
    found += std::holds_alternative<T>(event.data) ? 1U : 0U;
  return found;
}

} // namespace troupe::testing
