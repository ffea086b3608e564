// A session that only waits: timed for what is due in it, and out of the memory after a while.
//
//   rests ──▶ nothing came for a while ──▶ its queues are quiet: they end ──▶ the fleet lets go of it
//     ▲───── something comes, or is on its way ──┘
#include "actors/agent/agent_shell.hpp"
#include "session/snapshot.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

// A snapshot is made when the log has grown by so much since the last one: when the session leaves, and
// while it stays. Below, folding the log is as quick.
constexpr std::int64_t events_worth_keeping = 100;
constexpr std::int64_t events_between_snapshots = 250;

} // namespace

bool agent_shell::rests() const {
  return state_.exists() && !busy_ && early_.empty() && settings_.effects->keys().empty()
      && !settings_.effects->over() && session::status(state_) != "running" && !session::needs_work(state_);
}

persistence::snapshot agent_shell::snapshot_now() const {
  return {state_.head, session::snapshot_version, session::keep(state_)};
}

void agent_shell::set_timers() {
  if (const auto due = session::wake_at(state_); due && due != timed_deadline_) {
    timed_deadline_ = due;
    const auto left = std::max<std::int64_t>(due->microseconds - parts_->clock.now().microseconds, 0);
    // a millisecond more: clocks are corrected, and what comes too early is timed anew
    self_->delayed_send(
        self_, std::chrono::microseconds(left) + std::chrono::milliseconds(1), actors::deadline_reached{});
  }
  if (state_.head - settings_.kept_seq >= events_between_snapshots && session::can_be_kept(state_)) {
    settings_.kept_seq = state_.head;
    self_->send(parts_->records,
        archive_errand{[key = settings_.session, folded = snapshot_now()](
                           persistence::journal& journal) { journal.keep(key, folded); }});
  }
  if (rest_is_timed_ || !rests())
    return;
  rest_is_timed_ = true;
  rested_from_ = activity_;
  self_->delayed_send(self_, parts_->rest_before_leaving, passivate_idle{});
}

void agent_shell::deadline_reached() {
  timed_deadline_.reset();
  if (!busy_)
    handle(std::make_shared<const command>(expire{}), nullptr, 0);
}

void agent_shell::leave_if_rested() {
  rest_is_timed_ = false;
  answer_waiters(); // drops those whose time is up
  if (!rests())
    return; // timed again when it comes to rest
  if (activity_ != rested_from_ || !waiters_.empty())
    return set_timers();
  session_rests rest{settings_.id, settings_.session, settings_.epoch, nullptr};
  if (state_.head - settings_.kept_seq >= events_worth_keeping && session::can_be_kept(state_))
    rest.folded = std::make_shared<const persistence::snapshot>(snapshot_now());
  if (!settings_.queues->end_if_quiet(arrivals_))
    return set_timers(); // something is on its way
  rest.context_to_keep = context_to_keep();
  end_effects_and_waits();
  self_->send(settings_.fleet, std::move(rest));
  self_->quit();
}

std::shared_ptr<const session::state> agent_shell::context_to_keep() const {
  if (!state_.exists() || state_.options->retention != "context" || !session::can_be_kept(state_))
    return nullptr;
  return std::make_shared<const session::state>(state_);
}

// By a node that ends in order, too, a session that rests is left as it leaves the memory.
void agent_shell::let_go() {
  auto rest = rests() && settings_.queues->end_if_quiet(arrivals_) ? context_to_keep() : nullptr;
  end_effects_and_waits();
  if (rest)
    self_->send(settings_.fleet,
        session_rests{settings_.id, settings_.session, settings_.epoch, nullptr, std::move(rest)});
  self_->quit();
}

caf::typed_response_promise<session_look> agent_shell::wait(const wait_until& what) {
  ++activity_;
  auto promise = self_->make_response_promise<session_look>();
  waiters_.push_back({what, promise});
  rest();
  return promise;
}

// Nobody is told that it is idle while something that was accepted hasn't been looked at.
void agent_shell::answer_waiters() {
  const std::string_view status = session::status(state_);
  const bool idle = status != "running" && status != "waiting";
  const auto time = parts_->on->steady_time();
  std::erase_if(waiters_, [&](waiter& w) {
    if (w.what.until < time)
      return true;
    const bool so = w.what.ended_run.empty() ? idle || (w.what.attention && status == "waiting")
                                             : !state_.run || state_.run->id != w.what.ended_run;
    if (state_.head < w.what.after_seq || !so || !early_.empty())
      return false;
    w.promise.deliver(look_now());
    return true;
  });
  if (waiters_.empty())
    waiters_.shrink_to_fit(); // a session at rest keeps no room for what it doesn't have
}

} // namespace troupe::actors
