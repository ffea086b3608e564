// A session comes to this node: taken, folded, and given an agent and the places of two queues.
#include "actors/effects.hpp"
#include "actors/fleet/fitting.hpp"
#include "actors/fleet/fleet_shell.hpp"
#include "actors/fleet/modes.hpp"
#include "actors/fleet/session_loading.hpp"
#include "actors/queue/session_queues.hpp"
#include "session/snapshot.hpp"

namespace troupe::actors {

namespace {

session_opened refused(problem why) {
  session_opened answer;
  answer.refused = std::move(why);
  return answer;
}

problem exists(const std::string& id) {
  return {problem_code::conflict, "the session `" + id + "` exists", {}};
}

session_opened not_begun(const std::string& id) {
  return refused({problem_code::unavailable,
      "the session `" + id + "` could not be begun: its first event was not stored; open it again", {}});
}

} // namespace

caf::typed_response_promise<session_opened> fleet_shell::open(const open_session& what) {
  auto promise = self_->make_response_promise<session_opened>();
  const std::string& id = what.wanted->id;
  if (leaving_) { // nothing would ever let go of it
    promise.deliver(
        refused({problem_code::unavailable, "this node is leaving; ask another one, or again", {}}));
    return promise;
  }
  const auto held = sessions_.find(id);
  session_opened opened;
  if (held != sessions_.end() && held->second.agent && is_ending(*held->second.here)) {
    held->second.asked_while_ending.emplace_back(what, promise); // its agent's end is heard of first
    return promise;
  }
  if (held == sessions_.end() || !held->second.agent) {
    opened = load(what, "crash");
    if (!opened.refused)
      hold(opened, what.can_ask);
  } else if (what.mode == opening::create) {
    opened = refused(exists(id));
  } else {
    opened.here = held->second.here;
  }
  if (opened.refused || sessions_[id].begun)
    promise.deliver(std::move(opened));
  else
    answer_when_begun(id, std::move(opened), promise);
  return promise;
}

void fleet_shell::hold(const session_opened& opened, bool can_ask) {
  auto& held = sessions_[opened.here->id];
  held = {opened.here, opened.here->agent, can_ask, !opened.created, held.deaths, lapses_before_load_, {}};
  if (held.begun)
    show(held);
}

void fleet_shell::show(held_session& held) {
  held.begun = true;
  parts_->directory->put(held.here);
  if (parts_->lease.lapses() != held.lapses)
    let_go_if_it_moved(held);
}

// The lease has lapsed since it was taken, and whoever looked then at what is here didn't find it.
void fleet_shell::let_go_if_it_moved(const held_session& held) {
  const auto row = journal_->find(settings_.tenant, held.here->id);
  if (row && row->epoch == held.here->epoch)
    return;
  if (!row && row.error().code == problem_code::unavailable)
    owed_.insert(held.here->id); // it may be ours
  held.here->effects->end_all();
  self_->send(held.agent, let_go{});
}

void fleet_shell::forget(std::map<std::string, held_session>::iterator held) {
  parts_->directory->remove(held->first, held->second.here->epoch);
  answer_asked(held->second);
  sessions_.erase(held);
}

void fleet_shell::answer_asked(held_session& ended) {
  for (auto& [what, promise] : std::exchange(ended.asked_while_ending, {}))
    promise.delegate(caf::actor_cast<caf::actor>(self_), what);
}

// Nothing may be appended before the first event: whoever opens a new session hears of it when that
// is committed. The agent looks up from it then, not before.
void fleet_shell::answer_when_begun(
    const std::string& id, session_opened opened, caf::typed_response_promise<session_opened> promise) {
  self_->request(opened.here->agent, caf::infinite, look{})
      .then(
          [=, this](const session_look& seen) mutable {
            const auto held = sessions_.find(id);
            const bool begun = seen.state->exists() && held != sessions_.end();
            if (begun && !held->second.begun)
              show(held->second);
            promise.deliver(begun ? opened : not_begun(id));
          },
          [=](const caf::error&) mutable { promise.deliver(not_begun(id)); });
}

session_opened fleet_shell::load(const open_session& what, const std::string& recover_as) {
  const std::string& id = what.wanted->id;
  lapses_before_load_ = parts_->lease.lapses();
  if (what.mode == opening::create)
    if (const auto there = journal_->find(settings_.tenant, id); there && there->begun())
      return refused(exists(id));
  auto taken = journal_->take(settings_.tenant, id, settings_.node, session::snapshot_version);
  if (!taken && taken.error().code == problem_code::not_found && what.mode != opening::find) {
    auto made = begin_new(what, std::nullopt);
    if (!made.refused || made.refused->code != problem_code::conflict || what.mode == opening::create)
      return made;
    taken = journal_->take(settings_.tenant, id, settings_.node,
        session::snapshot_version); // made by another one at this moment
  }
  if (!taken) {
    if (taken.error().code == problem_code::unavailable && settings_.takes_over)
      owed_.insert(id); // it may be taken, and the answer lost
    return refused(taken.error());
  }
  const auto row = taken->row;
  // without events: made, but whoever made it died before its first one
  auto opened = row.head == 0        ? begin_new(what, row)
      : what.mode == opening::create ? refused(exists(id)) // made since we looked, or we couldn't look
                                     : go_on(what, std::move(*taken), recover_as);
  if (opened.refused && !journal_->release(row.key, row.epoch)) // another node may be able to run it
    owed_.insert(id);
  return opened;
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
  auto offer = fitting_offer(*parts_, *wanted);
  if (!offer)
    return refused(offer.error());
  if (!row) {
    auto made = journal_->create(settings_.tenant, wanted->id, settings_.node);
    if (!made)
      return refused(made.error());
    row = std::move(*made);
  }
  agent_settings settings;
  settings.beginning = std::make_shared<const agent_beginning>(
      agent_beginning{nullptr, std::make_shared<const options>(*wanted), {}});
  return {std::nullopt, true, spawn(*row, std::move(settings), *wanted, std::move(*offer), what.can_ask)};
}

session_opened fleet_shell::go_on(
    const open_session& what, persistence::taken_session taken, const std::string& recover_as) {
  auto state = load_state(*journal_, taken);
  if (!state)
    return refused(state.error());
  // whoever took it before died before anything came of it, again and again; nothing comes of one that is
  // closed
  if (taken.row.deaths > session::deaths_max && !(*state)->parked && !(*state)->closed)
    if (!append_parked(taken.row, **state,
            "whoever held it died " + std::to_string(session::deaths_max) + " times in a row"))
      return refused({problem_code::unavailable,
          "the session `" + taken.row.id + "` changes while it is loaded; try again", {}});
  const auto& kept = *(*state)->options;
  // nobody asked this node for it: another one may have what it needs
  if (const auto& provider = (*state)->settings.provider;
      recover_as == "takeover" && !parts_->providers.contains(provider))
    return refused({problem_code::unsupported,
        "the provider `" + provider + "` of session `" + taken.row.id + "` is not configured on this node",
        {}});
  auto offer = offer_of(parts_->tools, kept);
  if (!offer && what.wanted->tools) { // who opens it brings others, and changes its options next
    auto given = kept;
    given.tools = what.wanted->tools;
    offer = offer_of(parts_->tools, given);
  }
  if (!offer)
    return refused(offer.error());
  if (const auto known = find_mode(parts_->modes, kept); !known)
    return refused(known.error());
  agent_settings settings;
  settings.beginning = std::make_shared<const agent_beginning>(agent_beginning{*state, nullptr, recover_as});
  settings.kept_seq = taken.from ? taken.from->seq : (*state)->trimmed_through;
  auto here = spawn(taken.row, std::move(settings), kept, std::move(*offer), what.can_ask);
  here->last_end = taken.from ? taken.from->seq : 0; // nothing was open where a snapshot was taken
  for (const auto& event : taken.events)
    if (event.type == "run.finished")
      here->last_end = event.seq;
  return {std::nullopt, false, std::move(here)};
}

std::shared_ptr<session_here> fleet_shell::spawn(const persistence::session_row& row, agent_settings settings,
    const options& wanted, tools::offer offer, bool can_ask) {
  const auto known = look_ups_of(*parts_, wanted, offer, can_ask);
  auto here = std::make_shared<session_here>(session_here{row.key, row.id, row.epoch, row.head,
      row.view.status, row.deaths, row.created_at, row.updated_at, 0, nullptr, nullptr, nullptr});
  settings.session = row.key;
  settings.id = row.id;
  settings.epoch = row.epoch;
  settings.offer = std::move(offer);
  settings.known = known;
  settings.can_ask = can_ask;
  settings.fleet = caf::actor_cast<caf::actor>(self_);
  settings.effects = here->effects = std::make_shared<running_effects>();
  settings.queues = here->queues = std::make_shared<session_queues>(settings.beginning->state.get(), known);
  const std::shared_ptr<const node_parts> parts = parts_;
  here->agent = self_->spawn<caf::monitored>(agent_actor, std::move(settings), parts);
  self_->send(here->agent, session_begins{});
  return here;
}

} // namespace troupe::actors
