// A session comes to this node: taken, folded, and given an agent and two queues.
#include "actors/fleet/fleet_shell.hpp"
#include "actors/fleet/session_loading.hpp"
#include "actors/queue/queue_actor.hpp"
#include "session/evolve.hpp"

namespace troupe::actors {

namespace {

session_opened refused(problem why) {
  session_opened answer;
  answer.refused = std::move(why);
  return answer;
}

} // namespace

session_opened fleet_shell::open(const open_session& what) {
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

session_opened fleet_shell::load(const open_session& what) {
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

session_opened fleet_shell::begin_new(const open_session& what, std::optional<persistence::session_row> row) {
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

session_opened fleet_shell::go_on(const open_session& what, persistence::taken_session taken) {
  auto state = load_state(*journal_, settings_.tenant, taken.events);
  if (!state)
    return refused(state.error());
  // whoever took it before died before anything came of it, again and again
  if (taken.row.deaths > session::deaths_max && !(*state)->parked)
    if (const auto parked = append_parked(
            taken.row, "whoever held it died " + std::to_string(session::deaths_max) + " times in a row"))
      session::evolve(**state, *parked);
  const auto& kept = *(*state)->options;
  auto offer = offer_of(parts_->tools, kept);
  if (!offer)
    return refused(offer.error());
  agent_settings settings;
  settings.state = *state;
  settings.recover_as = "crash";
  return spawn(std::move(taken.row), std::move(settings), kept, std::move(*offer), what.can_ask);
}

session_opened fleet_shell::spawn(persistence::session_row row, agent_settings settings,
    const options& wanted, tools::offer offer, bool can_ask) {
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

} // namespace troupe::actors
