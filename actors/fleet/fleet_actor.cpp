// Which sessions are here, who runs them, and how long this node may.
#include "actors/fleet/fleet_actor.hpp"

#include "actors/append_of.hpp"
#include "actors/fleet/session_loading.hpp"
#include "actors/queue/queue_actor.hpp"
#include "telemetry/log.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/response_promise.hpp>

namespace troupe::actors {

namespace {

constexpr int agent_deaths_max = 5;

struct held_session {
  session_opened opened;
  open_session how; ///< as it was opened, to open it again
  int deaths = 0;
};

class fleet_shell {
 public:
  fleet_shell(caf::event_based_actor* self, fleet_settings settings,
      std::shared_ptr<persistence::journal> journal, std::shared_ptr<node_parts> parts)
      : self_(self), settings_(std::move(settings)), journal_(std::move(journal)), parts_(std::move(parts)) {}

  session_opened open(const open_session& what) {
    const std::string& id = what.wanted->id;
    if (const auto held = sessions_.find(id); held != sessions_.end() && held->second.opened.agent) {
      if (what.mode == opening::create)
        return refused({problem_code::conflict, "the session `" + id + "` exists", {}});
      session_opened again = held->second.opened;
      again.created = false;
      return again;
    }
    auto opened = load(what);
    if (!opened.refused)
      sessions_[id] = {opened, what, sessions_[id].deaths};
    return opened;
  }

  void heartbeat() {
    const auto before = std::chrono::steady_clock::now();
    const auto now = journal_->heartbeat(settings_.node, settings_.lease.count());
    if (now) {
      parts_->clock.correct(*now);
      parts_->lease.extend(before + settings_.lease);
    } else {
      telemetry::log(
          telemetry::level::warning, "the lease could not be renewed", {{"why", now.error().detail}});
    }
    self_->delayed_send(self_, settings_.lease / 3, heartbeat_due{});
  }

  void down(const caf::actor_addr& who, const caf::error& reason) {
    const auto found = std::find_if(sessions_.begin(), sessions_.end(), [&](const auto& entry) {
      return entry.second.opened.agent && entry.second.opened.agent.address() == who;
    });
    if (found == sessions_.end())
      return;
    found->second.opened.agent = nullptr;
    if (leaving_ || !reason || reason == fenced_exit) {
      sessions_.erase(found);
      return left();
    }
    ++found->second.deaths;
    if (found->second.deaths >= agent_deaths_max)
      return park(found->first);
    self_->delayed_send(
        self_, std::chrono::milliseconds(50 << found->second.deaths), reopen_due{found->first});
  }

  void reopen(const std::string& id) {
    const auto found = sessions_.find(id);
    if (found == sessions_.end() || found->second.opened.agent || leaving_)
      return;
    auto how = found->second.how;
    how.mode = opening::find;
    if (const auto opened = load(how); !opened.refused)
      found->second.opened = opened;
    else
      telemetry::log(telemetry::level::error, "session could not be loaded again",
          {{"session", id}, {"why", opened.refused->detail}});
  }

  caf::typed_response_promise<done> shut_down() {
    auto promise = self_->make_response_promise<done>();
    leaving_ = promise;
    for (auto& [id, held] : sessions_)
      if (held.opened.agent)
        self_->send(held.opened.agent, let_go{});
    std::erase_if(sessions_, [](const auto& entry) { return !entry.second.opened.agent; });
    left();
    return promise;
  }

 private:
  static session_opened refused(problem why) {
    session_opened answer;
    answer.refused = std::move(why);
    return answer;
  }

  void left() {
    if (!leaving_ || !sessions_.empty())
      return;
    journal_->leave(settings_.node);
    leaving_->deliver(done{});
    self_->quit();
  }

  session_opened load(const open_session& what) {
    auto taken = journal_->take(settings_.tenant, what.wanted->id, settings_.node);
    if (taken && what.mode == opening::create)
      return refused({problem_code::conflict, "the session `" + what.wanted->id + "` exists", {}});
    if (taken && taken->events.empty()) // made, but whoever made it died before its first event
      return begin_new(what, std::move(taken->row));
    if (taken)
      return go_on(what, std::move(*taken));
    if (taken.error().code != problem_code::not_found || what.mode == opening::find)
      return refused(taken.error());
    return begin_new(what, std::nullopt);
  }

  session_opened begin_new(const open_session& what, std::optional<persistence::session_row> row) {
    const auto wanted = with_defaults(*parts_, *what.wanted);
    if (!wanted)
      return refused(wanted.error());
    if (!is_id(wanted->id))
      return refused({problem_code::invalid_input,
          "`" + wanted->id.substr(0, 140)
              + "` is no session id: 1 to 128 of A-Z a-z 0-9 . _ - beginning with a letter or digit",
          {}});
    auto offer = offer_of(parts_->tools, *wanted);
    if (!offer)
      return refused(offer.error());
    if (!row) {
      auto made = journal_->create(settings_.tenant, wanted->id, settings_.node);
      if (!made)
        return refused(made.error());
      row = std::move(*made);
    }
    agent_settings settings;
    settings.create = std::make_shared<const options>(*wanted);
    auto opened = spawn(std::move(*row), std::move(settings), *wanted, std::move(*offer), what.can_ask);
    opened.created = true;
    return opened;
  }

  session_opened go_on(const open_session& what, persistence::taken_session taken) {
    auto state = load_state(*journal_, settings_.tenant, taken.events);
    if (!state)
      return refused(state.error());
    const auto& kept = *(*state)->options;
    auto offer = offer_of(parts_->tools, kept);
    if (!offer)
      return refused(offer.error());
    agent_settings settings;
    settings.state = *state;
    settings.recover_as = "crash";
    return spawn(std::move(taken.row), std::move(settings), kept, std::move(*offer), what.can_ask);
  }

  session_opened spawn(persistence::session_row row, agent_settings settings, const options& wanted,
      tools::offer offer, bool can_ask) {
    const auto known = look_ups_of(*parts_, wanted, offer, can_ask);
    session_opened opened;
    settings.session = row.key;
    settings.id = row.id;
    settings.epoch = row.epoch;
    settings.offer = std::move(offer);
    settings.known = known;
    settings.effects = opened.effects = std::make_shared<running_effects>();
    queue_settings queue{row.key, row.id, row.epoch, {},
        settings.state && (settings.state->closed || settings.state->closing), known};
    auto waiting_in = [&](const std::deque<session::waiting_message>& messages) {
      queue.waiting.clear();
      for (const auto& message : messages)
        queue.waiting.insert(message.data->message_id);
      return queue;
    };
    const std::deque<session::waiting_message> none;
    const auto steer = waiting_in(settings.state ? settings.state->steer : none);
    const auto sends = waiting_in(settings.state ? settings.state->sends : none);
    const std::shared_ptr<const node_parts> parts = parts_;
    opened.agent = self_->spawn<caf::monitored>(agent_actor, std::move(settings), parts);
    opened.steer = self_->spawn(queue_actor, steer, parts, opened.agent);
    opened.sends = self_->spawn(queue_actor, sends, parts, opened.agent);
    opened.row = std::move(row);
    self_->send(opened.agent, attach_queues{opened.steer, opened.sends});
    return opened;
  }

  // The fact is the journal's; the session waits for somebody to `start` it.
  void park(const std::string& id) {
    const auto held = sessions_.extract(id);
    const auto& row = held.mapped().opened.row;
    const event parked{0, parts_->clock.now(), std::nullopt,
        session_parked{"its agent died " + std::to_string(agent_deaths_max) + " times in a row"}};
    fresh_ids ids(parts_->clock);
    auto append = append_of(row.key, row.epoch, command_kind::park, {parked}, ids.next());
    append.view = persistence::session_view{"failed", false, std::nullopt, "{}"};
    telemetry::log(telemetry::level::error, "session parked", {{"session", id}});
    if (const auto outcome = journal_->append_all({append}); !outcome)
      telemetry::log(telemetry::level::error, "session could not be parked",
          {{"session", id}, {"why", outcome.error().detail}});
  }

  caf::event_based_actor* self_;
  fleet_settings settings_;
  std::shared_ptr<persistence::journal> journal_;
  std::shared_ptr<node_parts> parts_;
  std::map<std::string, held_session> sessions_;
  std::optional<caf::typed_response_promise<done>> leaving_;
};

} // namespace

caf::behavior fleet_actor(caf::event_based_actor* self, fleet_settings settings,
    std::shared_ptr<persistence::journal> journal, std::shared_ptr<node_parts> parts) {
  auto shell = std::make_shared<fleet_shell>(self, std::move(settings), std::move(journal), std::move(parts));
  self->set_down_handler([shell](caf::down_msg& down) { shell->down(down.source, down.reason); });
  return {
      [=](const open_session& what) { return shell->open(what); },
      [=](const heartbeat_due&) { shell->heartbeat(); },
      [=](const reopen_due& what) { shell->reopen(what.id); },
      [=](const shut_down&) { return shell->shut_down(); },
  };
}

} // namespace troupe::actors
