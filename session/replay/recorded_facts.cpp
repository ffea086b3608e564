// A fact for each thing that an event shows of it; what is behind is left as the machine takes it unasked.
#include "session/replay/recorded_facts.hpp"

#include "session/compatibility.hpp"
#include "session/permission_policy.hpp"
#include "session/replay/append_events.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace troupe::session {

namespace {

using names = std::set<std::string>;

/// The calls that the append is about, by their names.
class named_calls {
 public:
  named_calls(const state& before, std::span<const event> append) {
    for (const auto& call : before.calls)
      names_[call.execution_id] = call.name;
    for (const auto& event : append)
      if (const auto* const it = std::get_if<tools_requested>(&event.data))
        for (const auto& call : it->calls)
          names_[call.execution_id] = call.name;
  }
  const std::string& of(const std::string& execution_id) const {
    static const std::string unknown;
    const auto found = names_.find(execution_id);
    return found == names_.end() ? unknown : found->second;
  }

 private:
  std::map<std::string, std::string> names_;
};

void learn_from_start(look_ups& known, const state& before, const event& happened, const tool_started& it) {
  auto& fact = known.tool_facts[it.name];
  fact.client = it.client;
  if (it.deadline)
    if (const auto until = parse_timestamp(*it.deadline))
      fact.timeout_ms = (until->microseconds - happened.at.microseconds) / 1000;
  const auto* const call = before.find_call(it.execution_id);
  if (call && call->phase == call_phase::running)
    fact.durable = true; // begun again though nobody was asked
}

void learn_of_tools(look_ups& known, const state& before, std::span<const event> append) {
  const named_calls calls(before, append);
  const bool asks_of_failures = before.options && before.options->on_failed_effect == "ask";
  for (const auto& event : append) {
    if (const auto* const it = std::get_if<tool_started>(&event.data))
      learn_from_start(known, before, event, *it);
    if (const auto* const it = std::get_if<tool_uncertain>(&event.data); it && it->reason == "interrupted")
      known.tool_facts[calls.of(it->execution_id)].on_interrupted = interrupted_policy::ask;
    if (const auto* const it = std::get_if<tool_receipt>(&event.data);
        it && it->outcome == tool_outcome::failed && asks_of_failures)
      known.tool_facts[calls.of(it->execution_id)].idempotent = true;
    if (const auto* const it = std::get_if<tool_decided>(&event.data);
        it && it->decision == "deny" && it->reason == nobody_to_ask)
      known.can_ask = false;
  }
}

// The types of the two providers are those that give the judgement that was recorded.
void learn_compatibility(look_ups& known, const effective_settings& from, const settings_changed& it) {
  static constexpr const char* types[] = {"claude", "codex", "grok", "gym", "bedrock", "unlike"};
  const effective_settings to{it.provider, it.model, it.effort, it.service_tier};
  for (const char* const left : types)
    for (const char* const right : types) {
      known.providers[from.provider].type = left;
      known.providers[to.provider].type = right;
      if (compatible(from, to, known.providers) == it.compatible)
        return;
    }
}

void learn_of_settings(look_ups& known, const state& before, std::span<const event> append) {
  known.providers[before.settings.provider];
  effective_settings current = before.settings;
  for (const auto* const queue : {&before.steer, &before.sends})
    for (const auto& message : *queue)
      if (message.data->settings && message.data->settings->provider)
        known.providers[*message.data->settings->provider];
  for (const auto& event : append) {
    if (const auto* const it = std::get_if<message_queued>(&event.data);
        it && it->settings && it->settings->provider)
      known.providers[*it->settings->provider];
    if (const auto* const it = std::get_if<settings_changed>(&event.data)) {
      for (auto& [id, fact] : known.providers)
        fact.default_model = it->model;
      learn_compatibility(known, current, *it);
      current = {it->provider, it->model, it->effort, it->service_tier};
    }
    if (const auto* const it = std::get_if<inference_started>(&event.data); it && it->effort_requested)
      known.providers[it->provider].efforts = {it->effort.value_or("")};
    if (const auto* const it = std::get_if<compaction_started>(&event.data))
      known.providers[current.provider].compacts = it->strategy == "provider";
  }
}

/// A tool's result in the context.
struct shown_result {
  std::int64_t seq = 0;
  call_ref call;
  std::string tool;
};

/// The tools that the newest answers call, also where it never came to an execution.
std::map<call_ref, std::string> tools_called(const state& before, std::span<const event> append) {
  std::map<call_ref, std::string> out;
  if (before.inference)
    for (const auto& [index, block] : before.inference->calls)
      out[{before.inference->data->inference_id, index}] = block->name;
  for (const auto& event : append)
    if (const auto* const it = std::get_if<assistant_block>(&event.data))
      if (const auto* const call = std::get_if<tool_call_block>(&it->block))
        out[{it->inference_id, it->index}] = call->name;
  for (const auto& call : before.calls)
    out[call.call] = call.name;
  return out;
}

/// Those that the context has when the append clears it, oldest first.
std::vector<shown_result> results_in(const state& before, std::span<const event> append) {
  const auto tools = tools_called(before, append);
  std::vector<shown_result> out;
  for (const auto& entry : before.context.entries())
    if (entry.answers)
      out.push_back({entry.seq, entry.answers->call, entry.answers->tool});
  for (const auto& event : append)
    if (const auto* const it = std::get_if<tool_result>(&event.data)) {
      const auto tool = tools.find({it->inference_id, it->index});
      out.push_back(
          {event.seq, {it->inference_id, it->index}, tool == tools.end() ? std::string() : tool->second});
    }
  return out;
}

// Results that were cleared can be; so can the first that stayed. Whether those behind it can, shows only in
// how many stayed.
std::vector<look_ups> ways_to_clear(look_ups known, const state& before, std::span<const event> append) {
  static constexpr std::size_t undecided_max = 6;
  const auto& cleared = *first_of<context_cleared>(append);
  const auto results = results_in(before, append);
  names certain;
  names possible;
  for (const auto& result : results)
    if (result.seq == cleared.before_seq
        || std::find(cleared.calls.begin(), cleared.calls.end(), result.call) != cleared.calls.end())
      certain.insert(result.tool);
  for (const auto& result : results)
    if (result.seq > cleared.before_seq && !certain.contains(result.tool) && possible.size() < undecided_max)
      possible.insert(result.tool);
  for (const auto& tool : certain)
    known.tool_facts[tool].clearable = true;
  std::vector<look_ups> out;
  for (std::size_t which = 0; which < std::size_t{1} << possible.size(); ++which) {
    out.push_back(known);
    std::size_t bit = 0;
    for (const auto& tool : possible)
      out.back().tool_facts[tool].clearable = (which >> bit++ & 1U) != 0;
  }
  return out;
}

/// Which calls begin beside which: each tool's own nature, of which the log keeps what it led to.
std::vector<look_ups> ways_to_start(look_ups known, const state& before, std::span<const event> append) {
  names together;
  std::string last;
  for (const auto& call : before.calls)
    if (call.phase == call_phase::running)
      together.insert(call.name);
  for (const auto& event : append)
    if (const auto* const it = std::get_if<tool_started>(&event.data)) {
      together.insert(it->name);
      last = it->name;
    }
  std::vector<look_ups> out{known};
  const auto with = [&](const names& shared, bool sequential) {
    out.push_back(known);
    for (const auto& tool : shared)
      out.back().tool_facts[tool].shared = true;
    if (sequential)
      for (const auto& call : before.calls)
        out.back().tool_facts[call.name].sequential = true;
  };
  with(together, false);
  names but_the_last = together;
  but_the_last.erase(last);
  with(but_the_last, false);
  with({}, true);
  return out;
}

} // namespace

std::vector<look_ups> recorded_look_ups(const state& before, std::span<const event> append) {
  look_ups known;
  known.queued_max = std::numeric_limits<std::size_t>::max();
  learn_of_settings(known, before, append);
  learn_of_tools(known, before, append);
  if (first_of<context_cleared>(append))
    return ways_to_clear(std::move(known), before, append);
  if (first_of<tool_started>(append) || first_of<permission_decided>(append))
    return ways_to_start(std::move(known), before, append);
  return {std::move(known)};
}

} // namespace troupe::session
