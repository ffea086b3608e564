// Renews three times within a lease, and more often while the database is away.
#include "actors/fleet/lease_keeper.hpp"

#include "actors/effects.hpp"
#include "telemetry/log.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

namespace troupe::actors {

namespace {

constexpr std::chrono::milliseconds again_after_failure{250};

/// One call of the database, and when it began: the lease that it gives may begin no earlier. Absent: it
/// couldn't be renewed.
std::optional<std::chrono::steady_clock::time_point> beat(
    const lease_settings& settings, persistence::journal& journal, node_parts& parts) {
  const auto before = parts.on->steady_time();
  const auto now = journal.heartbeat(settings.node, settings.lease.count());
  if (now) {
    parts.clock.correct(*now);
    return before;
  }
  telemetry::log(telemetry::level::warning, "the lease could not be renewed", {{"why", now.error().detail}});
  if (settings.on_database_away)
    settings.on_database_away();
  return std::nullopt;
}

// While the lease had lapsed other nodes may have taken what is here: that is let go of before anything is
// carried out again (D-42). What they haven't taken by now they can't take any more, as long as the lease is
// renewed meanwhile: the looks of many sessions may take longer than it lasts. False: it isn't known.
bool let_go_of_what_moved(const lease_settings& settings, persistence::journal& journal, node_parts& parts,
    std::chrono::steady_clock::time_point& since) {
  for (const auto& session : parts.directory->all()) {
    const auto passed = parts.on->steady_time() - since;
    if (passed >= settings.lease)
      return false; // it has lapsed again: from the beginning
    if (passed >= settings.lease / 3) {
      const auto again = beat(settings, journal, parts);
      if (!again || *again - since >= settings.lease)
        return false;
      since = *again;
    }
    const auto row = journal.find(session->key.tenant, session->id);
    if (!row && row.error().code != problem_code::not_found)
      return false;
    if (row && row->epoch == session->epoch)
      continue;
    session->effects->end_all();
    caf::anon_send(session->agent, let_go{});
  }
  return true;
}

bool renew(const lease_settings& settings, persistence::journal& journal, node_parts& parts) {
  auto since = beat(settings, journal, parts);
  if (!since)
    return false;
  if (!parts.lease.holds()) {
    parts.lease.lapse(); // before the directory is read: what is put there later sees it
    if (!let_go_of_what_moved(settings, journal, parts, *since))
      return false;
  }
  parts.lease.extend(*since + settings.lease);
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
