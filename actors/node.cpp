// The supervision tree's root: what a node is made of, in the order in which it starts and ends.
#include "actors/node.hpp"

#include "actors/effects.hpp"
#include "actors/fleet/fitting.hpp"
#include "actors/fleet/fleet_actor.hpp"
#include "actors/fleet/lease_keeper.hpp"
#include "actors/fleet/session_loading.hpp"
#include "actors/node_insides.hpp"
#include "actors/persistence/persistence_actor.hpp"
#include "actors/stream_hub/stream_hub.hpp"

#include <caf/logger.hpp>

namespace troupe::actors {

node::node(std::unique_ptr<insides> in) : in_(std::move(in)) {}

result<std::unique_ptr<node>> node::start(node_settings settings) {
  auto in = std::make_unique<insides>(settings.on);
  std::vector<std::shared_ptr<persistence::journal>>
      journals; // the lease keeper's, the fleet's, the four archives', then the writers'
  for (std::size_t i = 0; i < settings.writers + 6; ++i) {
    auto journal = settings.open_journal();
    if (!journal)
      return journal.error();
    journals.push_back(std::move(*journal));
  }
  const auto tenant = journals[0]->tenant(settings.tenant);
  if (!tenant)
    return tenant.error();
  const auto before = in->parts->on->steady_time();
  const auto now = journals[0]->heartbeat(settings.identity, settings.lease.count());
  if (!now)
    return now.error();
  in->parts->clock.correct(*now);
  in->parts->lease.extend(before + settings.lease);
  in->parts->providers = std::move(settings.providers);
  in->parts->tools = std::move(settings.tools);
  in->parts->modes = std::move(settings.modes);
  // Work stealing polls for up to 10 ms; sharing wakes a worker at once.
  in->config.set(
      "scheduler.policy", in->parts->on->has_threads() ? caf::atom("sharing") : caf::atom("testing"));
  in->config.set("scheduler.max-threads", settings.worker_threads);
  in->system = std::make_unique<caf::actor_system>(in->config);
  in->parts->on->take(*in->system);
  for (std::size_t i = 6; i < journals.size(); ++i)
    in->parts->persistence.push_back(in->spawn_blocking(persistence_actor, journals[i]));
  in->parts->archive = in->spawn_blocking(archive_actor, journals[2]);
  in->parts->records = in->spawn_blocking(archive_actor, journals[3]);
  in->parts->history = in->spawn_blocking(archive_actor, journals[4]);
  in->parts->examinations = in->spawn_blocking(archive_actor, journals[of_examinations]);
  in->tools = in->parts->on->make_tool_runner();
  in->parts->tool_runner = in->tools.get();
  in->parts->reader_bytes_max = settings.reader_bytes_max;
  in->parts->queued_max = settings.queued_max;
  in->parts->rest_before_leaving = settings.rest_before_leaving;
  in->parts->hub = in->system->spawn(stream_hub, in->parts->archive, in->parts->directory);
  in->desk = in->system->spawn(desk_actor);
  in->fleet = in->spawn_blocking(
      fleet_actor, fleet_settings{*tenant, settings.identity, settings.takes_over}, journals[1], in->parts);
  in->keeper = in->spawn_blocking(lease_keeper,
      lease_settings{settings.identity, settings.lease, settings.on_database_away}, journals[0], in->parts);
  caf::delayed_anon_send(in->keeper, settings.lease / 3, heartbeat_due{}); // the first one was above
  in->journals = std::move(journals);
  in->tenant = *tenant;
  in->name = settings.identity.name;
  // this thread would hold the system's log for as long as it lives, and who ends the node may be another
  caf::logger::set_current_actor_system(nullptr);
  return std::unique_ptr<node>(new node(std::move(in)));
}

void node::open(options wanted, opening how, bool can_ask, then<session_handle> answer) {
  ask<session_opened>(in_->desk, in_->fleet,
      open_session{std::make_shared<const options>(std::move(wanted)), how, can_ask},
      [in = in_.get(), answer](result<session_opened> opened) {
        if (!opened)
          answer(opened.error());
        else if (opened->refused)
          answer(*opened->refused);
        else
          answer(in->handle(opened->here, opened->created));
      });
}

std::optional<session_handle> node::here(const std::string& id) const {
  auto found = in_->parts->directory->find(id);
  if (!found || is_ending(*found))
    return std::nullopt;
  return in_->handle(std::move(found), false);
}

namespace {

/// For what is done, or refused with a reason.
template <class Answer> then<Answer> unless_refused(then<bool> answer) {
  return [answer = std::move(answer)](const result<Answer>& got) {
    if (!got)
      answer(got.error());
    else if (got->refused)
      answer(*got->refused);
    else
      answer(true);
  };
}

} // namespace

void node::erase(const std::string& id, then<bool> answer) {
  ask<erased>(in_->desk, in_->fleet, erase_session{id}, unless_refused<erased>(std::move(answer)));
}

void node::fork(
    const std::string& from, std::int64_t at, const std::string& id, json::raw changes, then<bool> answer) {
  ask<forked>(in_->desk, in_->fleet, fork_session_at{from, at, id, std::move(changes)},
      unless_refused<forked>(std::move(answer)));
}

std::unique_ptr<live_stream> node::follow(
    const persistence::session_key& session, std::int64_t after, bool follow) const {
  return open_stream(*in_->parts, session, after, follow);
}

std::unique_ptr<live_stream> node::play(
    const persistence::session_key& session, std::int64_t after, double speed) const {
  return open_playback(*in_->parts, session, after, speed);
}

void node::read(std::function<void(persistence::journal&)> work) const {
  caf::anon_send(in_->parts->records, archive_errand{std::move(work)});
}

void node::read_history(std::function<void(persistence::journal&)> work) const {
  caf::anon_send(in_->parts->history, archive_errand{std::move(work)});
}

void node::examine(std::function<void(persistence::journal&)> work) const {
  caf::anon_send(in_->parts->examinations, archive_errand{std::move(work)});
}

bool node::is_leaving() const { return in_->parts->ending; }

std::int32_t node::tenant() const { return in_->tenant; }
const std::string& node::name() const { return in_->name; }
timestamp node::now() const { return in_->parts->clock.now(); }
std::chrono::steady_clock::time_point node::steady_time() const { return in_->parts->on->steady_time(); }
bool node::lease_holds() const { return in_->parts->lease.holds(); }

void node::probe(std::chrono::milliseconds patience, std::function<void(bool)> answer) const {
  ask<heads_answer>(
      in_->desk, in_->parts->archive, read_heads{},
      [answer](const result<heads_answer>& got) { answer(got && got->heads); }, caf::duration(patience));
}

std::string node::new_id() const { return in_->parts->ids().next(); }
const tools::tool_box& node::tools() const { return in_->parts->tools; }
tools::tool_box& node::tools_to_give() { return in_->parts->tools; }
const std::map<std::string, registered_provider>& node::providers() const { return in_->parts->providers; }
std::size_t node::sessions_in_memory() const { return in_->parts->directory->size(); }

bool node::settle(std::chrono::milliseconds patience) {
  const auto until = steady_time() + patience;
  for (const auto& session : in_->parts->directory->all()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_time());
    // asked of all, the late ones too: most are at rest, and an answer costs nothing
    const auto at_rest =
        in_->handle(session, false).wait(true, std::max(left, std::chrono::milliseconds(50)));
    if (at_rest && !*at_rest)
      return false;
  }
  (void)waited<done>([&](auto answer) {
    ask<done>(in_->desk, in_->parts->hub, settle_readers{}, answer, caf::duration(std::chrono::seconds(5)));
  });
  return true;
}

result<options> node::completed(options wanted) const {
  auto whole = with_defaults(*in_->parts, std::move(wanted));
  if (!whole)
    return whole;
  const auto offered = fitting_offer(*in_->parts, *whole);
  return offered ? whole : result<options>(offered.error());
}

} // namespace troupe::actors
