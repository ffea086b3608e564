// The agent's mailbox.
#include "actors/agent/agent_actor.hpp"

#include "actors/agent/agent_shell.hpp"

namespace troupe::actors {

caf::behavior agent_actor(
    caf::event_based_actor* self, agent_settings settings, std::shared_ptr<const node_parts> parts) {
  const auto kept = std::make_shared<agent_shell>(self, std::move(settings), std::move(parts));
  auto* const shell = kept.get(); // which one handler keeps for them all: there are many agents
  return {
      [kept](const session_begins&) { kept->begin(); },
      [=](const order& what) {
        auto promise = self->make_response_promise<order_answer>();
        shell->take(what.what, [promise, shell, held = what.holds_effects](order_answer answer) mutable {
          if (held)
            shell->release_effects();
          promise.deliver(std::move(answer));
        });
        return promise;
      },
      [](const order_answer&) {}, // of its own orders
      [=](const message_arrived& what) { shell->arrived(what.what); },
      [=](const wait_until& what) { return shell->wait(what); },
      [=](const look&) { return shell->look_now(); },
      [=](const tool_overdue& what) { shell->overdue(what); },
      [=](const deadline_reached&) { shell->deadline_reached(); },
      [=](const passivate_idle&) { shell->leave_if_rested(); },
      [=](const let_go&) { shell->let_go(); },
  };
}

} // namespace troupe::actors
