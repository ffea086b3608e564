// The outline as a snapshot has it, and beside it what a snapshot leaves to the log.
#include "session/carried_state.hpp"

#include "messages/event_codec.hpp"
#include "messages/json_reading.hpp"
#include "messages/upcast.hpp"
#include "session/snapshot.hpp"

namespace troupe::session {

namespace {

struct carried_call {
  std::string inference_id;
  std::int64_t index = 0;
  std::string tool;
};
struct carried_name {
  std::string inference_id;
  std::int64_t index = 0;
  std::string shown;
};
struct carried_entry {
  std::int64_t seq = 0;
  std::optional<std::int64_t> from; ///< absent: as `seq`, and so `to`
  std::optional<std::int64_t> to;
  json::raw message; ///< as the context's digest has it
  std::optional<carried_call> answers;
  std::optional<bool> stands_for_more;
  std::optional<std::vector<carried_name>> renamed;
};
struct carried_message {
  std::int64_t seq = 0;
  json::raw queued;                           ///< the data of its `message.queued`
  std::optional<std::int64_t> version;        ///< of that; absent: 1
  std::optional<troupe::content> replacement; ///< by a hook
  std::optional<bool> vetoed;
};
struct carried_form {
  json::raw outline;
  std::vector<carried_entry> context;
  std::vector<carried_message> steer;
  std::vector<carried_message> sends;
};
BOOST_DESCRIBE_STRUCT(carried_call, (), (inference_id, index, tool))
BOOST_DESCRIBE_STRUCT(carried_name, (), (inference_id, index, shown))
BOOST_DESCRIBE_STRUCT(carried_entry, (), (seq, from, to, message, answers, stands_for_more, renamed))
BOOST_DESCRIBE_STRUCT(carried_message, (), (seq, queued, version, replacement, vetoed))
BOOST_DESCRIBE_STRUCT(carried_form, (), (outline, context, steer, sends))

problem corrupt(std::string why) {
  return {problem_code::corrupt, "the state that the log goes on from " + std::move(why), {}};
}

carried_entry carried(const context_entry& entry) {
  carried_entry out{entry.seq, std::nullopt, std::nullopt, {to_json(entry.message)}, std::nullopt,
      std::nullopt, std::nullopt};
  if (entry.from != entry.seq)
    out.from = entry.from;
  if (entry.to != entry.seq)
    out.to = entry.to;
  if (entry.answers)
    out.answers =
        carried_call{entry.answers->call.inference_id, entry.answers->call.index, entry.answers->tool};
  if (entry.stands_for_more)
    out.stands_for_more = true;
  if (entry.renamed)
    for (const auto& [call, shown] : *entry.renamed) {
      if (!out.renamed)
        out.renamed.emplace();
      out.renamed->push_back({call.inference_id, call.index, shown});
    }
  return out;
}

std::vector<carried_message> carried(const waiting_messages& queue) {
  std::vector<carried_message> out;
  for (const auto& waiting : queue) {
    auto& one = out.emplace_back();
    one.seq = waiting.seq;
    one.queued = {encode(*waiting.data)};
    if (const auto version = newest_version("message.queued"); version != 1)
      one.version = version;
    if (waiting.replaced)
      one.replacement = *waiting.replaced;
    if (waiting.vetoed)
      one.vetoed = true;
  }
  return out;
}

result<context_entry> entry_of(const carried_entry& one) {
  const auto parsed = json::parse(one.message.text);
  if (!parsed)
    return parsed.error();
  auto said = message_from_json(*parsed);
  if (!said)
    return said.error();
  context_entry out{*std::move(said), one.seq, one.from.value_or(one.seq), one.to.value_or(one.seq)};
  out.stands_for_more = one.stands_for_more.value_or(false);
  if (one.renamed) {
    renamed_calls names;
    for (const auto& name : *one.renamed)
      names.push_back({{name.inference_id, name.index}, name.shown});
    out.renamed = std::make_shared<const renamed_calls>(std::move(names));
  }
  if (one.answers)
    out.answers = std::make_shared<const answered_call>(
        answered_call{{one.answers->inference_id, one.answers->index}, one.answers->tool});
  return out;
}

result<waiting_messages> queue_of(const std::vector<carried_message>& queue) {
  waiting_messages out;
  for (const auto& one : queue) {
    auto data = decode("message.queued", static_cast<std::int16_t>(one.version.value_or(1)), one.queued.text);
    if (!data)
      return data.error();
    auto& waiting = out.emplace_back();
    waiting.data = std::make_shared<const message_queued>(std::get<message_queued>(*std::move(data)));
    waiting.seq = one.seq;
    if (one.replacement)
      waiting.replaced = std::make_shared<const content>(*one.replacement);
    waiting.vetoed = one.vetoed.value_or(false);
  }
  return out;
}

result<context> context_of(const carried_form& form, const used_ids& used) {
  std::vector<context_entry> entries;
  for (const auto& one : form.context) {
    auto entry = entry_of(one);
    if (!entry)
      return entry.error();
    entries.push_back(*std::move(entry));
  }
  return context(std::move(entries), used);
}

} // namespace

void each_reference(const state& now, const std::function<void(const blob_ref&)>& sink) {
  for (const auto& options : {now.options, now.made_with})
    if (options)
      troupe::each_reference(*options, sink);
  for (const auto& entry : now.context.entries())
    troupe::each_reference(entry.message, sink);
  for (const auto* const queue : {&now.steer, &now.sends})
    for (const auto& waiting : *queue) {
      troupe::each_reference(*waiting.data, sink);
      if (waiting.replaced)
        troupe::each_reference(*waiting.replaced, sink);
    }
}

std::string carry(const state& now) {
  carried_form form{{keep(now)}, {}, carried(now.steer), carried(now.sends)};
  for (const auto& entry : now.context.entries())
    form.context.push_back(carried(entry));
  return json::to_text(form);
}

result<state> read_carried(std::string_view text) {
  const auto parsed = json::parse(text);
  if (!parsed)
    return corrupt("isn't JSON");
  carried_form form;
  json::reader reader(false);
  reader.get(*parsed, form);
  if (!reader.faults().empty())
    return corrupt("lacks something: " + reader.faults().front().pointer);
  auto outline = read_kept(form.outline.text);
  if (!outline)
    return outline.error();
  auto said = context_of(form, outline->used);
  auto steer = queue_of(form.steer);
  auto sends = queue_of(form.sends);
  if (!said)
    return corrupt("breaks its form: " + said.error().detail);
  if (!steer || !sends)
    return corrupt("breaks its form: " + (steer ? sends.error() : steer.error()).detail);
  if (said->digest() != outline->digest)
    return corrupt("is of another context");
  state now = std::move(outline->without_context);
  now.context = *std::move(said);
  now.steer = *std::move(steer);
  now.sends = *std::move(sends);
  return now;
}

} // namespace troupe::session
