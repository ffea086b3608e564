// The form is a described struct, which a log goes on from, too, whose beginning was removed
// (carried_state.hpp): members are only added, and only optional ones. The context is folded by the same code
// as ever.
#include "session/snapshot.hpp"

#include "messages/event_codec.hpp"
#include "messages/json_reading.hpp"
#include "session/evolve.hpp"

namespace troupe::session {

namespace {

struct kept_value {
  std::int64_t scope = 0;
  std::string key;
  std::string value;
};
struct kept_use {
  std::string id;
  std::int64_t count = 0;
};
struct kept_name {
  std::string inference_id;
  std::int64_t index = 0;
  std::string shown;
};
struct kept_form {
  std::int64_t head = 0;
  std::int64_t at = 0;
  troupe::options options;
  std::string provider;
  std::string model;
  std::optional<std::string> effort;
  std::optional<std::string> service_tier;
  bool parked = false;
  bool closing = false;
  bool closed = false;
  bool held = false;
  bool fresh = false;
  bool owed = false;
  std::int64_t voided_in_a_row = 0;
  std::int64_t compaction_failures = 0;
  bool overflowed = false;
  std::uint64_t fixed_bytes = 0;
  std::optional<std::int64_t> measured_tokens;
  std::optional<std::int64_t> measured_seq;
  troupe::usage usage;
  std::optional<failure> last_error;
  std::vector<kept_value> values;
  std::int64_t context_from = 1;
  std::vector<kept_use> used;
  std::string digest;
  std::optional<fork_point> forked_from;
  std::optional<bool> queued;
  std::optional<troupe::options> made_with; ///< absent: as `options`, or a fork
  std::optional<std::int64_t> trimmed_through;
  std::optional<std::vector<kept_name>> renamed; ///< calls of the context; absent: none
};
BOOST_DESCRIBE_STRUCT(kept_value, (), (scope, key, value))
BOOST_DESCRIBE_STRUCT(kept_use, (), (id, count))
BOOST_DESCRIBE_STRUCT(kept_name, (), (inference_id, index, shown))
BOOST_DESCRIBE_STRUCT(kept_form, (),
    (head, at, options, provider, model, effort, service_tier, parked, closing, closed, held, fresh, owed,
        voided_in_a_row, compaction_failures, overflowed, fixed_bytes, measured_tokens, measured_seq, usage,
        last_error, values, context_from, used, digest, forked_from, queued, made_with, trimmed_through,
        renamed))

problem corrupt(std::string why) { return {problem_code::corrupt, "the snapshot " + std::move(why), {}}; }

} // namespace

const std::vector<std::string>& context_events() {
  static const std::vector<std::string> types = {"message.queued", "message.withdrawn", "input.replaced",
      "messages.consumed", "assistant.block", "inference.finished", "output.voided", "tools.requested",
      "tool.receipt", "tool.resolved", "tool.result", "notice.added", "context.reset", "context.cleared",
      "compaction.finished", "context.trimmed"};
  return types;
}

bool can_be_kept(const state& now) {
  return now.exists() && !now.run && !now.inference && now.calls.empty() && !now.compaction;
}

std::string keep(const state& now) {
  kept_form form{now.head, now.at.microseconds, *now.options, now.settings.provider, now.settings.model,
      now.settings.effort, now.settings.service_tier, now.parked, now.closing, now.closed, now.held,
      now.fresh, now.owed == owed_kind::inference, now.voided_in_a_row, now.compaction_failures,
      now.overflowed, now.fixed_bytes, std::nullopt, std::nullopt, now.usage, now.last_error, {},
      now.context_from, {}, now.context.digest(), std::nullopt, now.has_queued(), std::nullopt, std::nullopt,
      std::nullopt};
  if (now.forked_from)
    form.forked_from = *now.forked_from;
  if (now.made_with && !(*now.made_with == *now.options))
    form.made_with = *now.made_with;
  if (now.trimmed_through > 0)
    form.trimmed_through = now.trimmed_through;
  if (now.measured) {
    form.measured_tokens = now.measured->tokens;
    form.measured_seq = now.measured->seq;
  }
  for (const auto& [call, shown] : now.context.renamed()) {
    if (!form.renamed)
      form.renamed.emplace();
    form.renamed->push_back({call.inference_id, call.index, shown});
  }
  for (const auto& [place, value] : now.values)
    form.values.push_back({place.first, place.second, value});
  for (const auto& [id, count] : now.context.used().counts())
    form.used.push_back({id, count});
  return json::to_text(form);
}

result<kept_state> read_kept(std::string_view text) {
  const auto parsed = json::parse(text);
  if (!parsed)
    return corrupt("isn't JSON");
  kept_form form;
  json::reader reader(false);
  reader.get(*parsed, form);
  if (!reader.faults().empty())
    return corrupt("lacks something: " + reader.faults().front().pointer);
  kept_state out;
  auto& now = out.without_context;
  now.head = form.head;
  now.at = {form.at};
  now.options = std::make_shared<const options>(std::move(form.options));
  now.settings = {form.provider, form.model, form.effort, form.service_tier};
  now.parked = form.parked;
  now.closing = form.closing;
  now.closed = form.closed;
  now.held = form.held;
  now.fresh = form.fresh;
  now.owed = form.owed ? owed_kind::inference : owed_kind::nothing;
  now.voided_in_a_row = form.voided_in_a_row;
  now.compaction_failures = form.compaction_failures;
  now.overflowed = form.overflowed;
  now.fixed_bytes = form.fixed_bytes;
  if (form.measured_tokens && form.measured_seq)
    now.measured = measured_context{*form.measured_tokens, *form.measured_seq};
  now.usage = form.usage;
  now.last_error = form.last_error;
  for (auto& value : form.values)
    now.values[{value.scope, value.key}] = std::move(value.value);
  if (form.forked_from)
    now.forked_from = std::make_shared<const fork_point>(*form.forked_from);
  else
    now.made_with =
        form.made_with ? std::make_shared<const options>(*std::move(form.made_with)) : now.options;
  now.trimmed_through = form.trimmed_through.value_or(0);
  now.context_from = form.context_from;
  used_ids::table used;
  for (const auto& use : form.used)
    used[use.id] = static_cast<int>(use.count);
  out.used = used_ids(std::move(used));
  if (form.renamed)
    for (auto& name : *form.renamed)
      out.renamed.push_back({{name.inference_id, name.index}, name.shown});
  out.digest = std::move(form.digest);
  out.nothing_waits = form.queued == false;
  return out;
}

restoring::restoring(kept_state kept) : kept_(std::move(kept)) {
  folded_.context.name_calls_as(kept_.renamed);
}

void restoring::fold(const event& happened) {
  evolve(folded_, happened);
  if (std::holds_alternative<context_trimmed>(happened.data)) // a context of its own may have come with it
    folded_.context.name_calls_as(kept_.renamed);
}

result<state> restoring::done() {
  if (folded_.context.digest() != kept_.digest)
    return corrupt("is of another context");
  if (folded_.has_queued() == kept_.nothing_waits)
    return corrupt("says otherwise what waits");
  state& now = kept_.without_context;
  now.context = std::move(folded_.context);
  now.context.take_used(std::move(kept_.used));
  now.steer = std::move(folded_.steer);
  now.sends = std::move(folded_.sends);
  return std::move(now);
}

} // namespace troupe::session
