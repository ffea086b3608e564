// What a node is made of: for the files that it is spread over (node.cpp, node_ending.cpp).
#pragma once

#include "actors/desk.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

namespace troupe::actors {

/// The place of the journal of examinations among a node's.
inline constexpr std::size_t of_examinations = 5;

// The handles go before the system that they point into.
struct node::insides {
  caf::actor_system_config config;
  std::unique_ptr<caf::actor_system> system;
  std::unique_ptr<tool_runner> tools; // ends before the system, whose actors it tells
  std::shared_ptr<node_parts> parts;
  std::vector<std::shared_ptr<persistence::journal>> journals;
  caf::actor keeper;
  caf::actor fleet;
  caf::actor desk;
  std::int32_t tenant = 1;
  std::string name;

  explicit insides(std::shared_ptr<surroundings> on)
      : parts(std::make_shared<node_parts>(on ? std::move(on) : this_machine())) {}

  /// One that blocks: on a thread of its own, where there are threads.
  template <class... Settings> caf::actor spawn_blocking(Settings... settings) {
    return parts->on->has_threads() ? system->spawn<caf::detached>(settings...) : system->spawn(settings...);
  }

  /// Returns when it has shut down.
  void close(const caf::actor& whom) {
    (void)waited<done>([&](auto answer) {
      ask<done>(desk, whom, shut_down{}, answer);
      parts->on->run();
    });
  }

  /// As `close`; what the fleet still has to do to logs takes no longer than that, whatever the database
  /// does.
  void close_fleet() {
    constexpr std::chrono::seconds last_words_take_at_most{3};
    const auto left = std::make_shared<std::promise<void>>();
    ask<done>(desk, fleet, shut_down{}, [left](const result<done>&) { left->set_value(); });
    parts->on->run();
    auto waiting = left->get_future();
    if (waiting.wait_for(last_words_take_at_most) == std::future_status::ready)
      return;
    parts->over = true;
    journals[of_examinations]->stop();
    caf::anon_send(fleet, leave_now{});
    parts->on->run();
    waiting.wait();
  }

  session_handle handle(std::shared_ptr<const session_here> here, bool created) const {
    session_handle made;
    made.parts_ = std::make_shared<session_handle::parts>();
    made.parts_->desk = desk;
    made.parts_->node = parts;
    made.parts_->created = created;
    auto& row = made.parts_->row;
    row = {here->key, here->id, here->head, here->epoch, name, {}, here->deaths, here->created_at,
        here->updated_at};
    row.view.status = here->status;
    made.parts_->here = std::move(here);
    return made;
  }
};

} // namespace troupe::actors
