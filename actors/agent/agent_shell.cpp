// Decide, append, fold: the way of every command.
#include "actors/agent/agent_shell.hpp"

#include "actors/append_of.hpp"
#include "messages/event_codec.hpp"
#include "session/decide.hpp"
#include "session/evolve.hpp"
#include "telemetry/log.hpp"

namespace troupe::actors {

namespace {

// Between two decisions nothing but messages can have come, and both queues are bounded: a command
// that is behind more often than that isn't going anywhere.
int tries_max(const session::look_ups& known) { return 2 * static_cast<int>(known.queued_max) + 100; }
// What doesn't stop when it is told to is left behind after this.
constexpr std::chrono::seconds abort_grace{10};

} // namespace

namespace {

bool comes_from_outside(const command& what) {
  switch (kind_of(what)) {
  case command_kind::withdraw:
  case command_kind::start:
  case command_kind::continue_run:
  case command_kind::decide_permission:
  case command_kind::give_verdict:
  case command_kind::client_result:
  case command_kind::update_session:
  case command_kind::compact:
  case command_kind::close_session:
  case command_kind::reset_context:
    return true;
  default:
    return false;
  }
}

} // namespace

agent_shell::agent_shell(
    caf::event_based_actor* self, agent_settings settings, std::shared_ptr<const node_parts> parts)
    : self_(self), settings_(std::move(settings)), parts_(std::move(parts)), ids_(parts_->ids()) {
  if (settings_.beginning->state)
    state_ = *settings_.beginning->state;
}

void agent_shell::begin() {
  const auto beginning = std::exchange(settings_.beginning, nullptr);
  if (!state_.exists())
    handle(std::make_shared<const command>(create_session{*beginning->create}), nullptr, 0);
  else if (!beginning->recover_as.empty())
    handle(std::make_shared<const command>(recover{beginning->recover_as}), nullptr, 0);
  else
    rest();
}

void agent_shell::take(std::shared_ptr<const command> what, std::function<void(order_answer)> answer) {
  // an effect that has answered runs no more, whatever becomes of its answer
  if (const auto* const inference = std::get_if<inference_answer>(&*what))
    settings_.effects->end(inference->finish.inference_id);
  if (const auto* const tool = std::get_if<tool_answer>(&*what)) {
    settings_.effects->end(key_of(session::run_tool{tool->execution_id, tool->attempt}));
    overdue_.erase(key_of(session::run_tool{tool->execution_id, tool->attempt}));
  }
  if (const auto* const compaction = std::get_if<compaction_answer>(&*what))
    settings_.effects->end(compaction->compaction_id);
  if (std::holds_alternative<compact>(*what))
    return ask_to_compact(std::move(answer));
  if (std::holds_alternative<close_session>(*what) && !state_.closing)
    return close_when_quiet(std::move(what), std::move(answer));
  handle(std::move(what), std::move(answer), 0);
}

// New work is refused first, and what is on its way settled (D-25): a message that is accepted stands before
// the closing in the log.
void agent_shell::close_when_quiet(std::shared_ptr<const command> what, answer_to answer) {
  settings_.queues->close();
  asked_to_close_.emplace_back(std::move(what), std::move(answer));
  rest();
}

// What is answered without an append is only as true as the lease: without it the session may be elsewhere.
std::optional<problem> agent_shell::answer_from_memory(const session::decision& decided) const {
  if (settings_.effects->over())
    return problem{problem_code::fenced, "the session `" + settings_.id + "` is leaving this node", {}};
  if (!parts_->lease.holds())
    return problem{problem_code::unavailable,
        "this node's lease has lapsed: whether it still has the session isn't known; try again", {}};
  return decided ? std::nullopt : std::optional(decided.error());
}

void agent_shell::handle(std::shared_ptr<const command> what, answer_to answer, int tries) {
  ++activity_;
  what = with_checks(std::move(what));
  const session::inputs in{parts_->clock.now(), ids_, *settings_.known, compaction_wanted()};
  auto decided = decide_checked(*what, in);
  if (!decided || decided->empty()) {
    if (answer)
      answer({answer_from_memory(decided), state_.head, nullptr, open_run()});
    return rest();
  }
  auto next = std::make_shared<session::state>(state_);
  for (const auto& event : *decided)
    session::evolve(*next, event);
  auto append = std::make_shared<persistence::append>(
      append_of(settings_.session, settings_.epoch, kind_of(*what), *decided, ids_.next()));
  append->expected_head = state_.head;
  append->view = view_of(*next);
  keep_instructions(*what, *next, *append);
  auto events = std::make_shared<std::vector<event>>(std::move(*decided));
  busy_ = true;
  // Without a bound: the journal alone knows whether it landed, and it answers or dies.
  self_->request(parts_->writer_of(settings_.session), caf::infinite, append_order{append})
      .await([=, this](const append_answer& got) { appended(got, what, answer, tries, events, next); },
          [=, this](const caf::error& lost) {
            fail(answer,
                {problem_code::unavailable, "the persistence actor is gone: " + caf::to_string(lost), {}});
          });
}

void agent_shell::appended(const append_answer& got, std::shared_ptr<const command> what, answer_to answer,
    int tries, std::shared_ptr<std::vector<event>> decided, std::shared_ptr<session::state> next) {
  busy_ = false;
  if (!got.outcome) {
    settings_.effects->end_all(); // what has answered would be begun again: its answer isn't in the state
    if (answer)
      answer({got.outcome.error(), state_.head, nullptr, open_run()});
    return; // the node is shutting down: the log has what there is
  }
  const auto& outcome = *got.outcome;
  if (const auto* const committed = std::get_if<persistence::committed>(&outcome)) {
    state_ = std::move(*next);
    take_new_options(*decided);
    self_->send(parts_->hub,
        publish_events{
            settings_.session, std::make_shared<const std::vector<recorded_event>>(committed->events)});
    tell_queues(*decided);
    tell_compacted(*decided);
    if (std::holds_alternative<abort_run>(*what))
      self_->delayed_send(self_, abort_grace,
          order{std::make_shared<const command>(settle_abort{state_.run ? state_.run->id : "none"})});
    if (answer)
      answer({std::nullopt, state_.head, decided, open_run()});
    return rest();
  }
  if (const auto* const behind = std::get_if<persistence::behind>(&outcome)) {
    if (const auto folded = fold_missing(behind->missing); !folded)
      return fail(answer, folded.error());
    if (tries >= tries_max(*settings_.known))
      return fail(answer, {problem_code::unavailable, "the command is always behind the log's head", {}});
    return handle(std::move(what), std::move(answer), tries + 1);
  }
  if (const auto* const refused = std::get_if<persistence::refused>(&outcome)) {
    if (!answer || !comes_from_outside(*what))
      return fail(answer, refused->why);
    if (std::holds_alternative<close_session>(*what))
      settings_.queues->open();
    answer({refused->why, state_.head, nullptr,
        open_run()}); // who asked for it is told; nothing else depends on it
    return rest();
  }
  fail(answer, {problem_code::fenced, "the session `" + settings_.id + "` has moved to another node", {}},
      fenced_exit);
}

result<void> agent_shell::fold_missing(const std::vector<recorded_event>& missing) {
  for (const auto& stored : missing) {
    if (stored.seq <= state_.head)
      continue;
    const auto happened = decode(stored);
    if (!happened)
      return happened.error();
    session::evolve(state_, *happened);
  }
  return {};
}

// A message may be told of before one that was committed earlier in the other queue.
void agent_shell::arrived(const std::shared_ptr<const event>& happened) {
  ++activity_;
  ++arrivals_;
  early_.emplace(happened->seq, happened);
  while (!early_.empty() && early_.begin()->first <= state_.head + 1) {
    const auto next = early_.begin()->second;
    early_.erase(early_.begin());
    if (next->seq == state_.head + 1)
      session::evolve(state_, *next);
  }
  rest();
}

// Nothing is under way: what the session owes itself is done, effects are put right, and if there is
// nothing more those who wait are told.
void agent_shell::rest() {
  if (busy_)
    return;
  reconcile();
  if (!asked_to_close_.empty() && settings_.queues->is_quiet()) {
    auto [what, answer] = std::move(asked_to_close_.back());
    asked_to_close_.pop_back();
    return handle(std::move(what), std::move(answer), 0);
  }
  // what ran has stopped, or was held back and never began: the state alone can't tell
  if (state_.aborting() && settings_.effects->keys().empty())
    return handle(std::make_shared<const command>(settle_abort{}), nullptr, 0);
  if (compact_now())
    return;
  if (auto next = session::next_step(state_, settings_.known->tool_facts))
    return handle(std::make_shared<const command>(std::move(*next)), nullptr, 0);
  answer_waiters();
  set_timers();
}

void agent_shell::fail(const answer_to& answer, problem fault, caf::exit_reason reason) {
  const bool moved = reason == fenced_exit; // or erased: no fault of its own
  telemetry::log(moved ? telemetry::level::info : telemetry::level::error,
      moved ? "agent ends" : "agent failed", {{"session", settings_.id}, {"why", fault.detail}});
  end_effects_and_waits();
  if (answer)
    answer({std::move(fault), state_.head, nullptr, open_run()});
  self_->quit(reason);
}

void agent_shell::end_effects_and_waits() {
  settings_.effects->end_all();
  for (auto& w : waiters_)
    w.promise.deliver(caf::make_error(caf::sec::request_receiver_down));
  waiters_.clear();
  refuse_to_compact({problem_code::fenced, "the session `" + settings_.id + "` is leaving this node", {}});
  for (const auto& asked : std::exchange(asked_to_close_, {}))
    asked.second(
        {problem{problem_code::fenced, "the session `" + settings_.id + "` is leaving this node", {}},
            state_.head, nullptr, open_run()});
  settings_.queues->end();
}

} // namespace troupe::actors
