// Agents live and die, and in the end everything is let go of.
#include "actors/fleet/fleet_shell.hpp"

#include "actors/append_of.hpp"
#include "actors/effects.hpp"
#include "actors/fleet/session_loading.hpp"
#include "actors/history/log_trimming.hpp"
#include "session/evolve.hpp"
#include "telemetry/log.hpp"

namespace troupe::actors {

namespace {

constexpr std::chrono::seconds reopen_after_failure{1};
constexpr std::chrono::seconds look_for_due_every{1};
// How many sessions are taken at a time: whoever opens one waits no longer than that takes.
constexpr std::size_t taken_at_once = 32;
// One that can't be loaded (its tools aren't here, its log is damaged) is tried again ever more seldom.
constexpr std::chrono::seconds put_off_most{300};

/// What was appended to say so; nothing where the log stayed as it was.
result<std::vector<recorded_event>> shorten(
    persistence::journal& journal, const session_rests& what, const node_parts& parts) {
  auto ids = parts.ids();
  persistence::session_row row;
  row.key = what.session;
  row.id = what.id;
  row.head = what.context_to_keep->head;
  row.epoch = what.epoch;
  auto stored = trim_log(journal, row, *what.context_to_keep, parts.clock.now(), ids);
  if (!stored)
    telemetry::log(telemetry::level::warning, "a log keeps more than its context for now",
        {{"session", what.id}, {"why", stored.error().detail}});
  return stored;
}

} // namespace

void fleet_shell::down(const caf::actor_addr& who, const caf::error& reason) {
  const auto found = std::find_if(sessions_.begin(), sessions_.end(),
      [&](const auto& entry) { return entry.second.agent && entry.second.agent.address() == who; });
  if (found == sessions_.end())
    return;
  // where it ended without a word, what is left of it ends here
  const auto here = found->second.here;
  here->effects->end_all();
  here->queues->end();
  found->second.agent = nullptr;
  parts_->directory->remove(found->first, here->epoch);
  answer_asked(found->second);
  if (leaving_ || !reason || reason == fenced_exit || !found->second.begun) {
    sessions_.erase(found);
    return left();
  }
  ++found->second.deaths;
  if (found->second.deaths >= session::deaths_max)
    return park(found->first);
  self_->delayed_send(self_, std::chrono::milliseconds(50 << found->second.deaths), reopen_due{found->first});
}

void fleet_shell::reopen(const std::string& id) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end() || found->second.agent || leaving_)
    return;
  options wanted;
  wanted.id = id;
  const auto opened = load(
      {std::make_shared<const options>(std::move(wanted)), opening::find, found->second.can_ask}, "crash");
  if (opened.refused) {
    telemetry::log(telemetry::level::error, "session could not be loaded again",
        {{"session", id}, {"why", opened.refused->detail}});
    if (opened.refused->code == problem_code::unavailable) // its work isn't left lying
      self_->delayed_send(self_, reopen_after_failure, reopen_due{id});
    return;
  }
  if (opened.here->last_end > found->second.here->last_end)
    found->second.deaths = 1; // the one that it is loaded for: those before aren't in a row with it
  found->second.here = opened.here;
  found->second.agent = opened.here->agent;
  found->second.lapses = lapses_before_load_;
  show(found->second);
}

void fleet_shell::rests(const session_rests& what) {
  const auto held = sessions_.find(what.id);
  if (held == sessions_.end() || held->second.here->epoch != what.epoch)
    return;
  forget(held);
  if (what.context_to_keep)
    return keep_context_alone(what);
  let_go_of(what);
}

void fleet_shell::let_go_of(const session_rests& what) {
  if (what.folded)
    journal_->keep(what.session, *what.folded);
  if (!leaving_ && !journal_->release(what.session, what.epoch)) // else the lease keeper lets go of all
    owed_.insert(what.id);                                       // ours still, and nobody would find it
  left();
}

// Those that are ours by mistake, then those that are due: a session that couldn't be let go of, or loaded
// while the database was away, is found by nobody else.
void fleet_shell::take_what_is_due() {
  if (leaving_)
    return;
  std::vector<std::string> ids(owed_.begin(), owed_.end());
  ids.resize(std::min(ids.size(), taken_at_once));
  std::vector<std::string> except = put_off_now();
  for (const auto& [id, held] : sessions_)
    if (!held.agent)
      except.push_back(id); // to be loaded again by itself
  const auto due = journal_->due(settings_.node, taken_at_once, settings_.tenant, except);
  if (due)
    for (const auto& row : *due)
      ids.push_back(row.id);
  for (const auto& id : ids)
    take_due(id);
  if (due && due->size() == taken_at_once) // there may be more: after who waits to be served
    self_->send(self_, actors::take_due{});
  else
    self_->delayed_send(self_, look_for_due_every, actors::take_due{});
}

std::vector<std::string> fleet_shell::put_off_now() {
  const auto now = parts_->on->steady_time();
  std::vector<std::string> ids;
  for (auto it = put_off_.begin(); it != put_off_.end();) {
    if (now < it->second.until)
      ids.push_back(it->first);
    // long after its time nothing wanted it any more
    it = now > it->second.until + put_off_most ? put_off_.erase(it) : std::next(it);
  }
  return ids;
}

void fleet_shell::take_due(const std::string& id) {
  owed_.erase(id);
  if (sessions_.contains(id))
    return;
  options wanted;
  wanted.id = id;
  const open_session how{std::make_shared<const options>(std::move(wanted)), opening::find, true};
  const auto opened = load(how, "takeover");
  if (!opened.refused) {
    put_off_.erase(id);
    return hold(opened, how.can_ask);
  }
  telemetry::log(telemetry::level::warning, "session could not be taken",
      {{"session", id}, {"why", opened.refused->detail}});
  auto& later = put_off_[id];
  later.pause = std::min(later.pause * 2, put_off_most);
  later.until = parts_->on->steady_time() + later.pause;
}

// What still runs of it is fenced by the row that is gone.
erased fleet_shell::erase(const std::string& id) {
  if (const auto held = sessions_.find(id); held != sessions_.end()) {
    held->second.here->effects->end_all();
    if (held->second.agent)
      self_->send(held->second.agent, let_go{});
    forget(held);
  }
  const auto gone = journal_->erase(settings_.tenant, id, settings_.node);
  if (!gone && gone.error().code == problem_code::unavailable)
    owed_.insert(id); // it may be there, and ours
  return gone ? erased{} : erased{gone.error()};
}

void fleet_shell::park(std::string id) {
  forget(sessions_.find(id));
  auto taken = journal_->take(settings_.tenant, id, settings_.node);
  if (!taken) {
    owed_.insert(id);
    return;
  }
  if (const auto state = load_state(*journal_, settings_.tenant, taken->events))
    append_parked(
        taken->row, **state, "its agent died " + std::to_string(session::deaths_max) + " times in a row");
  if (!journal_->release(taken->row.key, taken->row.epoch))
    owed_.insert(id);
}

// Whoever opens it meanwhile takes it under another epoch, and nothing more is done to its log.
void fleet_shell::keep_context_alone(const session_rests& what) {
  ++trimming_;
  self_->send(parts_->examinations,
      archive_errand{
          [what, parts = parts_, fleet = caf::actor_cast<caf::actor>(self_)](persistence::journal& journal) {
            const auto stored = parts->over ? std::vector<recorded_event>() : shorten(journal, what, *parts);
            const bool is_as_it_was = !stored || stored->empty();
            if (!is_as_it_was)
              caf::anon_send(parts->hub,
                  publish_events{what.session, std::make_shared<const std::vector<recorded_event>>(*stored)});
            caf::anon_send(fleet, session_trimmed{what, is_as_it_was});
          }});
}

void fleet_shell::trimmed(const session_trimmed& what) {
  trimming_ = std::max<std::int64_t>(trimming_ - 1, 0);
  auto rest = what.what;
  if (!what.keeps_snapshot)
    rest.folded = nullptr; // of what isn't there any more
  let_go_of(rest);
}

void fleet_shell::leave_now() {
  trimming_ = 0;
  left();
}

bool fleet_shell::append_parked(
    const persistence::session_row& row, session::state& state, const std::string& reason) {
  const event parked{
      state.head + 1, std::max(state.at, parts_->clock.now()), std::nullopt, session_parked{reason}};
  auto stored = commit_decided(*journal_, row, state, command_kind::park, {parked}, parts_->ids().next());
  telemetry::log(telemetry::level::error, stored ? "session parked" : "session could not be parked",
      {{"session", row.id}, {"why", reason}});
  if (!stored)
    return false;
  self_->send(parts_->hub,
      publish_events{row.key, std::make_shared<const std::vector<recorded_event>>(*std::move(stored))});
  return true;
}

caf::typed_response_promise<done> fleet_shell::shut_down() {
  auto promise = self_->make_response_promise<done>();
  leaving_ = promise;
  for (auto& [id, held] : sessions_) {
    parts_->directory->remove(id, held.here->epoch);
    if (held.agent)
      self_->send(held.agent, let_go{});
  }
  std::erase_if(sessions_, [](const auto& entry) { return !entry.second.agent; });
  for (auto& [id, held] : sessions_)
    answer_asked(held); // with a refusal, by now
  left();
  return promise;
}

void fleet_shell::left() {
  if (!leaving_ || !sessions_.empty() || trimming_ > 0)
    return;
  leaving_->deliver(done{});
  self_->quit();
}

} // namespace troupe::actors
