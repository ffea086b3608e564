// Renews three times within a lease, and more often while the database is away.
#include "actors/fleet/lease_keeper.hpp"

#include "telemetry/log.hpp"

#include <caf/event_based_actor.hpp>

namespace troupe::actors {

namespace {

constexpr std::chrono::milliseconds again_after_failure{250};

// The time before the call counts: the lease that the database gives may begin no earlier.
bool renew(const lease_settings& settings, persistence::journal& journal, node_parts& parts) {
  const auto before = std::chrono::steady_clock::now();
  const auto now = journal.heartbeat(settings.node, settings.lease.count());
  if (!now) {
    telemetry::log(
        telemetry::level::warning, "the lease could not be renewed", {{"why", now.error().detail}});
    if (settings.on_database_away)
      settings.on_database_away();
    return false;
  }
  parts.clock.correct(*now);
  parts.lease.extend(before + settings.lease);
  return true;
}

} // namespace

caf::behavior lease_keeper(caf::event_based_actor* self, lease_settings settings,
    std::shared_ptr<persistence::journal> journal, std::shared_ptr<node_parts> parts) {
  return {
      [=](const heartbeat_due&) {
        const bool renewed = renew(settings, *journal, *parts);
        const std::chrono::milliseconds pause = settings.lease / 3;
        self->delayed_send(self, renewed ? pause : std::min(pause, again_after_failure), heartbeat_due{});
      },
      [=](const shut_down&) {
        journal->leave(settings.node);
        self->quit();
        return done{};
      },
  };
}

} // namespace troupe::actors
