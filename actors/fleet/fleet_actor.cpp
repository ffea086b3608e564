// The fleet's mailbox: which sessions are here, who runs them, and how long this node may.
#include "actors/fleet/fleet_actor.hpp"

#include "actors/fleet/fleet_shell.hpp"

namespace troupe::actors {

caf::behavior fleet_actor(caf::event_based_actor* self, fleet_settings settings,
    std::shared_ptr<persistence::journal> journal, std::shared_ptr<node_parts> parts) {
  auto shell = std::make_shared<fleet_shell>(self, std::move(settings), std::move(journal), std::move(parts));
  if (shell->takes_over())
    self->send(self, take_due{});
  self->set_down_handler([shell](caf::down_msg& down) { shell->down(down.source, down.reason); });
  return {
      [=](const open_session& what) { return shell->open(what); },
      [=](const reopen_due& what) { shell->reopen(what.id); },
      [=](const session_rests& what) { shell->rests(what); },
      [=](const session_trimmed& what) { shell->trimmed(what); },
      [=](const leave_now&) { shell->leave_now(); },
      [=](const take_due&) { shell->take_what_is_due(); },
      [=](const erase_session& what) { return shell->erase(what.id); },
      [=](const fork_session_at& what) { return shell->fork(what); },
      [=](const shut_down&) { return shell->shut_down(); },
  };
}

} // namespace troupe::actors
