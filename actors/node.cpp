// The supervision tree's root: what a node is made of, in the order in which it starts and ends.
#include "actors/node.hpp"

#include "actors/desk.hpp"
#include "actors/fleet/fleet_actor.hpp"
#include "actors/fleet/lease_keeper.hpp"
#include "actors/persistence/persistence_actor.hpp"
#include "actors/stream_hub/stream_hub.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

namespace troupe::actors {

struct node::insides {
  caf::actor_system_config config;
  std::unique_ptr<caf::actor_system> system;
  std::shared_ptr<node_parts> parts = std::make_shared<node_parts>();
  std::vector<std::shared_ptr<persistence::journal>> journals;
  caf::actor keeper;
  caf::actor fleet;
  caf::actor desk;
};

node::node(std::unique_ptr<insides> in) : in_(std::move(in)) {}

result<std::unique_ptr<node>> node::start(node_settings settings) {
  auto in = std::make_unique<insides>();
  std::vector<std::shared_ptr<persistence::journal>>
      journals; // the lease keeper's, the fleet's, the archive's, then the writers'
  for (std::size_t i = 0; i < settings.writers + 3; ++i) {
    auto journal = settings.open_journal();
    if (!journal)
      return journal.error();
    journals.push_back(std::move(*journal));
  }
  const auto tenant = journals[0]->tenant(settings.tenant);
  if (!tenant)
    return tenant.error();
  const auto before = std::chrono::steady_clock::now();
  const auto now = journals[0]->heartbeat(settings.identity, settings.lease.count());
  if (!now)
    return now.error();
  in->parts->clock.correct(*now);
  in->parts->lease.extend(before + settings.lease);
  in->parts->providers = std::move(settings.providers);
  in->parts->tools = std::move(settings.tools);
  // Work stealing polls for up to 10 ms; sharing wakes a worker at once.
  in->config.set("scheduler.policy", caf::atom("sharing"));
  in->config.set("scheduler.max-threads", settings.worker_threads);
  in->system = std::make_unique<caf::actor_system>(in->config);
  for (std::size_t i = 3; i < journals.size(); ++i)
    in->parts->persistence.push_back(in->system->spawn<caf::detached>(persistence_actor, journals[i]));
  in->parts->archive = in->system->spawn<caf::detached>(archive_actor, journals[2]);
  in->parts->hub = in->system->spawn(stream_hub, in->parts->archive);
  in->desk = in->system->spawn(desk_actor);
  in->fleet = in->system->spawn<caf::detached>(
      fleet_actor, fleet_settings{*tenant, settings.identity}, journals[1], in->parts);
  in->keeper = in->system->spawn<caf::detached>(lease_keeper,
      lease_settings{settings.identity, settings.lease, settings.on_database_away}, journals[0], in->parts);
  caf::anon_send(in->keeper, heartbeat_due{});
  in->journals = std::move(journals);
  return std::unique_ptr<node>(new node(std::move(in)));
}

node::~node() {
  for (std::size_t i = 1; i < in_->journals.size(); ++i)
    in_->journals[i]->stop();
  (void)ask<done>(in_->desk, in_->fleet, shut_down{});
  (void)ask<done>(in_->desk, in_->keeper, shut_down{});
  for (const auto& actor : in_->parts->persistence)
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(in_->parts->archive, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(in_->parts->hub, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(in_->desk, caf::exit_reason::user_shutdown);
  in_->parts->persistence.clear();
  in_->parts->archive = nullptr;
  in_->parts->hub = nullptr;
  in_->keeper = nullptr;
  in_->fleet = nullptr;
  in_->desk = nullptr;
}

result<session_handle> node::open(options wanted, opening how, bool can_ask) {
  auto opened = ask<session_opened>(
      in_->desk, in_->fleet, open_session{std::make_shared<const options>(std::move(wanted)), how, can_ask});
  if (!opened)
    return opened.error();
  if (opened->refused)
    return *opened->refused;
  session_handle handle;
  handle.parts_ = std::make_shared<session_handle::parts>();
  handle.parts_->desk = in_->desk;
  handle.parts_->node = in_->parts;
  handle.parts_->opened = std::move(*opened);
  return handle;
}

} // namespace troupe::actors
