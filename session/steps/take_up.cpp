// Taking up work: from the queues into the context, and on to an inference.
#include "session/compatibility.hpp"
#include "session/context_size.hpp"
#include "session/effort.hpp"
#include "session/steps.hpp"

namespace troupe::session {

namespace {

bool takes_all(const state& now, delivery queue) {
  return (queue == delivery::steer ? now.options->steering_mode : now.options->send_mode) == queue_mode::all;
}

std::int64_t bytes_of(const std::vector<waiting_message>& taken) {
  std::int64_t sum = 0;
  for (const auto& one : taken)
    if (!one.vetoed)
      sum += source_bytes({"user", parts_of(one.replaced ? *one.replaced : one.data->content), {},
          std::nullopt, std::nullopt});
  return sum;
}

// Settings of several messages are folded in order; one event tells of them.
void change_settings(draft& d, const std::vector<waiting_message>& taken) {
  effective_settings next = d.now().settings;
  std::optional<std::string> carrier;
  for (const auto& message : taken) {
    if (message.vetoed || !message.data->settings)
      continue;
    next = merged(next, *message.data->settings, d.in().known.providers);
    carrier = message.data->message_id;
  }
  if (!carrier)
    return;
  const effective_settings before = d.now().settings;
  const bool fits = compatible(before, next, d.in().known.providers);
  d.add(settings_changed{next.provider, next.model, next.effort, next.service_tier,
      {before.provider, before.model, before.effort, before.service_tier}, fits, carrier});
  if (!fits)
    d.add(context_reset{"incompatible", d.in().handoff});
}

} // namespace

void consume(draft& d, delivery queue) {
  const auto& waiting = queue == delivery::steer ? d.now().steer : d.now().sends;
  // what an `output_limit` has no room for now is taken behind the answer, or by the next run
  const std::size_t count = std::min(takes_all(d.now(), queue) ? output_room(d.now()) : 1, waiting.size());
  const std::vector<waiting_message> taken(
      waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(count));
  if (taken.empty() || ends_at_output_limit(d, taken.size() + 1, bytes_of(taken)))
    return;
  change_settings(d, taken);
  messages_consumed consumed;
  for (const auto& message : taken)
    consumed.message_ids.push_back(message.data->message_id);
  d.add(std::move(consumed));
}

bool consume_next(draft& d) {
  if (!d.now().has_queued())
    return false;
  consume(d, d.now().steer.empty() ? delivery::send : delivery::steer);
  return true;
}

void infer(draft& d) {
  if (d.now().run && !ends_at_output_limit(d, 1) && !room_comes_first(d))
    start_inference(d);
}

void start_inference(draft& d) {
  const state& now = d.now();
  inference_started started;
  started.inference_id = d.new_id();
  started.provider = now.settings.provider;
  started.model = now.settings.model;
  note_effort(started, now.settings.effort, d.in().known.providers);
  started.service_tier = now.settings.service_tier;
  started.context_seq = now.head;
  started.digest = now.context.digest();
  started.instructions = referenced_text(d.in().known.instructions);
  started.tools = referenced_text(d.in().known.tools);
  d.add(std::move(started));
}

bool at_limit(const state& now) {
  return now.options->max_turns > 0 && now.run && now.run->inferences >= now.options->max_turns;
}

void end_at_limit(draft& d, turn_outcome turn) {
  end_run(d, turn,
      {run_outcome_kind::max_turns, std::nullopt, std::nullopt, d.now().run->inferences, std::nullopt});
}

void begin_run(draft& d, run_cause cause) {
  d.add_run_started(cause);
  d.add(turn_started{1});
}

void run_with_queue(draft& d, run_cause cause) {
  begin_run(d, cause);
  consume_next(d);
  infer(d);
}

void end_run(draft& d, turn_outcome turn, run_outcome run) {
  d.add(turn_finished{d.now().run->turn, turn});
  d.add(run_finished{std::move(run)});
}

void proceed(draft& d, run_outcome outcome) {
  if (!d.now().has_queued())
    return end_run(d, turn_outcome::completed, std::move(outcome));
  if (at_limit(d.now()))
    return end_at_limit(d);
  consume_next(d);
  infer(d);
}

} // namespace troupe::session
