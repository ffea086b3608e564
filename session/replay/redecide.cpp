// Ids in the order of the events, answers of look-ups from what they led to.
#include "session/replay/redecide.hpp"

#include "messages/event_codec.hpp"
#include "session/carried_state.hpp"
#include "session/decide.hpp"
#include "session/evolve.hpp"
#include "session/replay/append_events.hpp"
#include "session/replay/recorded_command.hpp"
#include "session/replay/recorded_facts.hpp"

#include <deque>

namespace troupe::session {

namespace {

class recorded_ids : public id_source {
 public:
  explicit recorded_ids(std::span<const event> append) {
    for (const auto& event : append) {
      if (std::holds_alternative<run_started>(event.data))
        ids_.push_back(event.run_id.value());
      if (const auto* const it = std::get_if<inference_started>(&event.data))
        ids_.push_back(it->inference_id);
      if (const auto* const it = std::get_if<tools_requested>(&event.data))
        for (const auto& call : it->calls)
          ids_.push_back(call.execution_id);
      if (const auto* const it = std::get_if<permission_requested>(&event.data))
        ids_.push_back(it->decision_id);
      if (const auto* const it = std::get_if<compaction_started>(&event.data))
        ids_.push_back(it->compaction_id);
      if (const auto* const it = std::get_if<context_cleared>(&event.data))
        ids_.push_back(it->compaction_id);
    }
  }
  std::string next() override {
    if (ids_.empty())
      return "more ids than were recorded";
    auto id = std::move(ids_.front());
    ids_.pop_front();
    return id;
  }

 private:
  std::deque<std::string> ids_;
};

// Somebody waited for one if it came before an inference for that reason; clearing tells no reason, and
// would come out the same.
bool compaction_was_wanted(std::span<const event> append) {
  const auto* const started = first_of<compaction_started>(append);
  return (started && started->reason == "requested") || first_of<context_cleared>(append);
}

// What the log leaves out because another event says it, as readers get it.
void fill_in(event_data& data, const state& before) {
  if (auto* const it = std::get_if<tool_started>(&data); it && !it->arguments)
    if (const auto* const call = before.find_call(it->execution_id))
      it->arguments = call->effective_arguments();
  if (auto* const it = std::get_if<permission_requested>(&data); it && !it->arguments)
    if (const auto* const call = before.find_call(it->execution_id))
      it->arguments = call->effective_arguments();
  if (auto* const it = std::get_if<tool_result>(&data); it && it->execution_id)
    if (const auto* const call = before.find_call(*it->execution_id); call && call->settled) {
      if (!it->content)
        it->content = call->settled->content;
      if (!it->is_error)
        it->is_error = call->settled->is_error;
    }
}

std::string shown(const event& one) { return std::string(type_name(one.data)) + " " + encode(one.data); }

// A state that an earlier version carried over in a form of its own is the same state.
bool says_the_same(const context_trimmed& again, const context_trimmed& recorded) {
  if (!again.state || !recorded.state || !recorded.state->content.loaded)
    return false;
  const auto was = read_carried(recorded.state->content.text);
  return was && carry(*was) == again.state->content.text;
}

// What is looked up for an inference stands in it by reference alone, and a deadline is of another clock.
void take_recorded(event_data& again, const event_data& recorded) {
  if (auto* const it = std::get_if<inference_started>(&again))
    if (const auto* const was = std::get_if<inference_started>(&recorded)) {
      it->instructions = was->instructions;
      it->tools = was->tools;
    }
  if (auto* const it = std::get_if<tool_started>(&again); it && it->deadline)
    if (const auto* const was = std::get_if<tool_started>(&recorded); was && was->deadline)
      it->deadline = was->deadline;
  if (auto* const it = std::get_if<context_trimmed>(&again))
    if (const auto* const was = std::get_if<context_trimmed>(&recorded); was && says_the_same(*it, *was))
      it->state = was->state;
}

difference_kind kind_of(const event_data& again, const event_data& recorded) {
  const auto* const one = std::get_if<inference_started>(&again);
  const auto* const other = std::get_if<inference_started>(&recorded);
  return one && other && one->digest != other->digest ? difference_kind::digest : difference_kind::decided;
}

std::optional<difference> difference_of(event again, event kept, const state& before) {
  take_recorded(again.data, kept.data);
  if (again == kept) // what is the same is written the same
    return std::nullopt;
  std::string decided = shown(again);
  std::string recorded = shown(kept);
  if (decided != recorded && again.data.index() == kept.data.index()) {
    fill_in(again.data, before);
    fill_in(kept.data, before);
    decided = shown(again);
    recorded = shown(kept);
  }
  if (decided != recorded)
    return difference{kept.seq, std::move(decided), std::move(recorded), kind_of(again.data, kept.data)};
  const auto place = [](const event& one) {
    return "seq " + std::to_string(one.seq) + ", at " + to_string(one.at) + ", run "
        + one.run_id.value_or("none");
  };
  if (again.seq != kept.seq || again.at != kept.at || again.run_id != kept.run_id)
    return difference{kept.seq, place(again), place(kept), difference_kind::place};
  return std::nullopt;
}

std::optional<difference> compared(
    const std::vector<event>& again, std::span<const event> append, const state& before, bool cut) {
  state now = before;
  for (std::size_t i = 0; i < append.size(); ++i) {
    if (i >= again.size())
      return difference{append[i].seq, "nothing more", shown(append[i])};
    if (auto found = difference_of(again[i], append[i], now))
      return found;
    evolve(now, append[i]);
  }
  if (again.size() > append.size() && !cut)
    return difference{append.back().seq + 1, shown(again[append.size()]), "the end of the append"};
  return std::nullopt;
}

} // namespace

std::string_view name_of(difference_kind kind) {
  switch (kind) {
  case difference_kind::missing:
    return "missing";
  case difference_kind::place:
    return "place";
  case difference_kind::form:
    return "form";
  case difference_kind::decided:
    return "decision";
  case difference_kind::digest:
    return "digest";
  case difference_kind::content:
    return "content";
  case difference_kind::chain:
    return "chain";
  }
  return "unknown";
}

std::optional<difference> redecided_difference(
    command_kind kind, const state& before, std::span<const event> append, bool cut) {
  const std::int64_t seq = append.front().seq;
  const auto what = recorded_command(kind, before, append, cut);
  if (!what)
    return difference{seq, "an append that a command of this version leads to",
        "command " + std::to_string(static_cast<int>(kind)) + " with " + shown(append.front())};
  const auto* const reset = first_of<context_reset>(append);
  std::optional<difference> first;
  for (const auto& known : recorded_look_ups(before, append)) {
    recorded_ids ids(append);
    const inputs in{
        append.front().at, ids, known, compaction_was_wanted(append), reset ? reset->handoff : std::nullopt};
    const auto again = decide(before, *what, in);
    auto found = again ? compared(*again, append, before, cut)
                       : difference{seq, "a refusal: " + again.error().detail, shown(append.front())};
    if (!found)
      return std::nullopt;
    if (!first)
      first = std::move(found);
  }
  return first;
}

} // namespace troupe::session
