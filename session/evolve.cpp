// Which fold an event goes to, and the folds of the session's own life and its queues.
#include "session/evolve.hpp"

#include "messages/event_codec.hpp"
#include "messages/json_reading.hpp"
#include "session/carried_state.hpp"

#include <algorithm>
#include <tuple>

namespace troupe::session {

namespace detail {

namespace {

void begin(state& now, const troupe::options& options) {
  now.options = std::make_shared<const troupe::options>(options);
}

waiting_message* find_waiting(state& now, const std::string& id) {
  for (auto* const queue : {&now.steer, &now.sends})
    for (auto& message : *queue)
      if (message.data->message_id == id)
        return &message;
  return nullptr;
}

void forget_waiting(state& now, const std::string& id) {
  for (auto* const queue : {&now.steer, &now.sends})
    std::erase_if(*queue, [&](const waiting_message& m) { return m.data->message_id == id; });
}

} // namespace

std::int64_t needed_for_what_waits(const state& now, std::int64_t at) {
  for (const auto* const queue : {&now.steer, &now.sends})
    for (const auto& waiting : *queue)
      at = std::min(at, waiting.seq);
  return at;
}

void fold_session(state& now, const session_created& it) {
  begin(now, it.options);
  now.made_with = now.options;
  now.settings = {it.options.provider.value_or(""), it.options.model.value_or(""), it.options.effort,
      it.options.service_tier};
}

// Provider, model, effort and tier stay those at the cut unless the request named them. What held the other
// session back holds back nothing here.
void fold_session(state& now, const session_forked& it) {
  now.parked = now.closing = now.closed = now.held = now.fresh = false;
  const auto before = now.options;
  begin(now, it.options);
  now.made_with = nullptr;
  now.forked_from = std::make_shared<const fork_point>(it.from);
  const auto asked = [](const troupe::options& o) {
    return std::tie(o.provider, o.model, o.effort, o.service_tier);
  };
  if (!before || asked(*before) != asked(it.options))
    now.settings = {it.options.provider.value_or(""), it.options.model.value_or(""), it.options.effort,
        it.options.service_tier};
}

// `changes` holds the options that changed: they are laid over those that were.
void fold_session(state& now, const session_updated& it) {
  const auto changes = json::parse(it.changes.text);
  if (!changes || !now.options)
    return;
  troupe::options merged = *now.options;
  json::reader reader(false);
  reader.get(*changes, merged);
  now.options = std::make_shared<const troupe::options>(std::move(merged));
}

void fold_queue(state& now, const event& at, const message_queued& it) {
  auto& queue = it.delivery == delivery::steer ? now.steer : now.sends;
  queue.push_back({std::make_shared<const message_queued>(it), at.seq, nullptr, false});
  now.held = false;
  if (now.aborting())
    now.fresh = true;
}

void fold_queue(state& now, const message_withdrawn& it) {
  for (const auto& id : it.message_ids)
    forget_waiting(now, id);
}

void fold_queue(state& now, const input_replaced& it) {
  auto* const message = find_waiting(now, it.message_id);
  const auto parsed = json::parse(it.content.text);
  if (!message || !parsed)
    return;
  message->vetoed = parsed->is(json::kind::null);
  content replacement;
  json::reader reader(false);
  if (!message->vetoed)
    reader.get(*parsed, replacement);
  message->replaced = std::make_shared<const content>(std::move(replacement));
}

void fold_queue(state& now, const event& at, const messages_consumed& it) {
  const auto before = now.context.size();
  for (const auto& id : it.message_ids) {
    const auto* const message = find_waiting(now, id);
    if (!message)
      continue;
    if (!message->vetoed) {
      const auto& shown = message->replaced ? *message->replaced : message->data->content;
      now.context.add_message(
          {message->data->role.value_or("user"), parts_of(shown), {}, std::nullopt, std::nullopt}, at.seq,
          message->seq);
      now.owed = owed_kind::inference;
      now.overflowed = false;
    }
    forget_waiting(now, id);
  }
  count_output(now, before);
}

void fold_queue(state& now, const settings_changed& it) {
  now.settings = {it.provider, it.model, it.effort, it.service_tier};
}

} // namespace detail

namespace {

struct folder {
  state& now;
  const event& at;

  void operator()(const session_created& it) const { detail::fold_session(now, it); }
  void operator()(const session_forked& it) const { detail::fold_session(now, it); }
  void operator()(const session_updated& it) const { detail::fold_session(now, it); }
  void operator()(const session_parked&) const { now.parked = true; }
  void operator()(const session_unparked&) const {
    now.parked = false;
    now.voided_in_a_row = 0;
  }
  void operator()(const session_closing&) const { now.closing = true; }
  void operator()(const session_closed&) const { now.closed = true; }
  void operator()(const message_queued& it) const { detail::fold_queue(now, at, it); }
  void operator()(const message_withdrawn& it) const { detail::fold_queue(now, it); }
  void operator()(const input_replaced& it) const { detail::fold_queue(now, it); }
  void operator()(const messages_consumed& it) const { detail::fold_queue(now, at, it); }
  void operator()(const settings_changed& it) const { detail::fold_queue(now, it); }
  void operator()(const context_reset& it) const {
    now.context.reset(it.handoff, at.seq);
    now.owed = owed_kind::nothing;
    now.overflowed = false;
    now.measured.reset();
    now.context_from = std::max(detail::needed_for_what_waits(now, at.seq), now.trimmed_through + 1);
  }
  void operator()(const context_cleared& it) const { detail::fold_compaction(now, it); }
  // The first event of a log whose beginning was removed is what it goes on from.
  void operator()(const context_trimmed& it) const {
    if (!now.exists() && it.state && it.state->content.loaded)
      if (auto before = read_carried(it.state->content.text))
        now = *std::move(before);
    now.trimmed_through = it.through_seq;
    now.context_from = at.seq;
  }
  void operator()(const run_started& it) const { detail::fold_run(now, at, it); }
  void operator()(const turn_started& it) const {
    if (now.run) {
      now.run->turn = it.turn;
      now.run->turn_open = true;
    }
  }
  void operator()(const inference_started& it) const { detail::fold_run(now, at, it); }
  void operator()(const assistant_block& it) const { detail::fold_run(now, at, it); }
  void operator()(const inference_finished& it) const { detail::fold_run(now, at, it); }
  void operator()(const output_voided& it) const { detail::fold_run(now, it); }
  void operator()(const tools_requested& it) const { detail::fold_tools(now, it); }
  void operator()(const tool_decided& it) const { detail::fold_tools(now, it); }
  void operator()(const permission_requested& it) const { detail::fold_tools(now, it); }
  void operator()(const permission_decided& it) const { detail::fold_tools(now, it); }
  void operator()(const permission_expired&) const {}
  void operator()(const tool_started& it) const { detail::fold_tools(now, it); }
  void operator()(const tool_receipt& it) const { detail::fold_tools(now, it); }
  void operator()(const tool_result& it) const { detail::fold_tools(now, at, it); }
  void operator()(const tool_uncertain& it) const { detail::fold_tools(now, it); }
  void operator()(const tool_resolved& it) const { detail::fold_tools(now, it); }
  void operator()(const abort_requested& it) const {
    if (now.run)
      now.run->aborted_by = it.by;
  }
  void operator()(const compaction_started& it) const { detail::fold_compaction(now, it); }
  void operator()(const compaction_finished& it) const { detail::fold_compaction(now, at, it); }
  void operator()(const compaction_failed& it) const { detail::fold_compaction(now, it); }
  void operator()(const notice_added& it) const { detail::fold_run(now, at, it); }
  void operator()(const turn_finished&) const {
    if (now.run)
      now.run->turn_open = false;
  }
  void operator()(const run_finished& it) const { detail::fold_run(now, it); }
  void operator()(const child_spawned&) const {}
  void operator()(const child_settled&) const {}
  void operator()(const report_delivered&) const {}
  void operator()(const value_written& it) const {
    now.values[{static_cast<std::int64_t>(it.scope), it.key}] = it.value.text;
  }
  void operator()(const value_deleted& it) const {
    now.values.erase({static_cast<std::int64_t>(it.scope), it.key});
  }
  void operator()(const timer_set&) const {}
  void operator()(const timer_fired&) const {}
  void operator()(const timer_cancelled&) const {}
};

} // namespace

void evolve(state& now, const event& happened) {
  std::visit(folder{now, happened}, happened.data);
  now.head = happened.seq;
  now.at = std::max(now.at, happened.at);
}

state fold(std::span<const event> log) {
  state now;
  for (const auto& happened : log)
    evolve(now, happened);
  return now;
}

} // namespace troupe::session
