// The place, the time and the run of each new event.
#include "session/draft.hpp"

#include "messages/event.hpp"

#include <algorithm>

namespace troupe::session {

namespace {

// Messages and the session's own life belong to no run.
bool stands_alone(const event_data& data) {
  return std::holds_alternative<message_queued>(data) || type_name(data).starts_with("session.");
}

} // namespace

void draft::add(event_data data) {
  event happened{now_.head + 1, std::max(now_.at, in_.now), std::nullopt, std::move(data)};
  if (now_.run && !stands_alone(happened.data))
    happened.run_id = now_.run->id;
  evolve(now_, happened);
  events_.push_back(std::move(happened));
}

void draft::add_run_started(run_cause cause) {
  event happened{now_.head + 1, std::max(now_.at, in_.now), new_id(), run_started{cause, machine_version}};
  evolve(now_, happened);
  events_.push_back(std::move(happened));
}

} // namespace troupe::session
