// An append in the making: each event that is added is folded at once, so that what follows is
// decided on the state that will be.
#pragma once

#include "session/evolve.hpp"
#include "session/inputs.hpp"

namespace troupe::session {

class draft {
 public:
  draft(const state& base, const inputs& in) : now_(base), in_(in) {}

  const state& now() const { return now_; }
  const inputs& in() const { return in_; }
  std::string new_id() const { return in_.ids.next(); }
  /// Gives the event its place, its time (never before the event before) and its run.
  void add(event_data data);
  /// Begins a run: the id stands on its own first event already.
  void add_run_started(run_cause cause);
  std::vector<event> take() { return std::move(events_); }

 private:
  state now_;
  const inputs& in_;
  std::vector<event> events_;
};

} // namespace troupe::session
