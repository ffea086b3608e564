// Who asks for a compaction waits for its end, and shares the one that is open (H-155).
//
//   asked ──▶ no run: begins at once ──▶ its end is told
//     └─────▶ a run: before its next inference, or when it is over ─▲
#include "actors/agent/agent_shell.hpp"
#include "actors/compaction/compaction_actor.hpp"
#include "actors/fleet/modes.hpp"
#include "session/context_size.hpp"
#include "session/steps.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

constexpr std::size_t compaction_waiters_max = 100;

problem not_compacted(const failure& why) {
  return {
      problem_code::conflict, "the context was not compacted, and nothing was changed: " + why.message, {}};
}

} // namespace

void agent_shell::start_effect(const session::run_compaction& item) {
  auto stop = settings_.effects->begin(item.compaction_id);
  if (!stop)
    return;
  const auto& provider = state_.settings.provider;
  if (!parts_->providers.contains(provider)) {
    compaction_answer answer;
    answer.compaction_id = item.compaction_id;
    answer.error = failure{"invalid_request", std::nullopt, false,
        "the provider `" + provider + "` is not configured on this node"};
    return self_->send(self_, order{std::make_shared<const command>(std::move(answer))});
  }
  const auto& started = *state_.compaction;
  const auto entries = state_.context.entries();
  compaction_settings settings;
  settings.compaction_id = started.compaction_id;
  settings.by_provider = started.strategy == "provider";
  settings.covered = session::covered_by(entries, started.through_seq);
  settings.tokens_before = session::estimated_tokens(entries);
  for (const auto& entry : entries)
    if (entry.seq > started.through_seq)
      settings.tokens_kept += session::estimated_tokens(entry.message);
  settings.asking =
      asking(provider, shown_of(parts_->modes, *state_.options, settings_.offer), std::move(stop));
  settings.asking.request.model = state_.settings.model;
  settings.asking.request.service_tier = state_.settings.service_tier;
  self_->spawn(compaction_actor, std::move(settings), parts_, caf::actor_cast<caf::actor>(self_));
}

void agent_shell::ask_to_compact(answer_to answer) {
  ++activity_;
  if (asked_to_compact_.size() >= compaction_waiters_max)
    return answer({problem{problem_code::too_large,
                       "so many wait for a compaction already (compaction_waiters_max, "
                           + std::to_string(compaction_waiters_max) + "); wait until it is done",
                       {}},
        state_.head, nullptr, open_run()});
  asked_to_compact_.push_back(
      {std::move(answer), state_.compaction ? state_.compaction->compaction_id : std::string()});
  rest();
}

bool agent_shell::compaction_wanted() const {
  return std::any_of(asked_to_compact_.begin(), asked_to_compact_.end(),
      [](const compaction_waiter& w) { return w.compaction_id.empty(); });
}

bool agent_shell::compact_now() {
  const bool parked = state_.parked && !state_.closing; // nothing runs in it, also what it had begun: refused
  if (asked_to_compact_.empty() || (!parked && (!compaction_wanted() || state_.compaction)))
    return false;
  if (session::status(state_) == "waiting") {
    refuse_to_compact({problem_code::conflict,
        "the run waits for an answer: give it, or abort the run, before the context is compacted", {}});
    return false;
  }
  if (state_.run && !state_.closing && !parked)
    return false; // before the next inference, or when the run is over
  handle(
      std::make_shared<const command>(compact{}),
      [this](const order_answer& got) {
        if (got.refused)
          return refuse_to_compact(*got.refused);
        if (got.happened)
          return; // told as events
        for (auto& w : std::exchange(asked_to_compact_, {}))
          w.answer(got);
      },
      0);
  return true;
}

void agent_shell::tell_compacted(const std::vector<event>& happened) {
  const auto tell = [&](const std::string& id, const std::optional<problem>& refused, const event& what) {
    std::vector<compaction_waiter> told;
    const auto waits_for_it = [&](const compaction_waiter& w) { return w.compaction_id == id; };
    std::copy_if(asked_to_compact_.begin(), asked_to_compact_.end(), std::back_inserter(told), waits_for_it);
    std::erase_if(asked_to_compact_, waits_for_it);
    for (auto& w : told)
      w.answer({refused, what.seq,
          refused ? nullptr : std::make_shared<const std::vector<event>>(std::vector{what}), open_run()});
  };
  for (const auto& event : happened) {
    if (const auto* const started = std::get_if<compaction_started>(&event.data))
      for (auto& w : asked_to_compact_)
        w.compaction_id = started->compaction_id;
    if (std::holds_alternative<abort_requested>(event.data)) // what hasn't begun never does (H-162)
      tell("", not_compacted(session::cancelled_compaction()), event);
    if (std::holds_alternative<context_cleared>(event.data))
      tell("", std::nullopt, event);
    if (const auto* const finished = std::get_if<compaction_finished>(&event.data))
      tell(finished->compaction_id, std::nullopt, event);
    if (const auto* const failed = std::get_if<compaction_failed>(&event.data))
      tell(failed->compaction_id, not_compacted(failed->error), event);
  }
}

void agent_shell::refuse_to_compact(const problem& why) {
  for (auto& w : std::exchange(asked_to_compact_, {}))
    w.answer({why, state_.head, nullptr, open_run()});
}

} // namespace troupe::actors
