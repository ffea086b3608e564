// A fact for each thing that an event shows of it; what is behind is left as the machine takes it unasked.
#include "session/replay/recorded_facts.hpp"

#include "session/compaction_cut.hpp"
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
  bool is_cleared = false; ///< by an earlier one
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
      out.push_back({entry.seq, entry.answers->call, entry.answers->tool,
          entry.message.parts == std::vector<content_part>{text_part{cleared_text(entry.answers->tool)}}});
  for (const auto& event : append)
    if (const auto* const it = std::get_if<tool_result>(&event.data)) {
      const auto tool = tools.find({it->inference_id, it->index});
      out.push_back({event.seq, {it->inference_id, it->index},
          tool == tools.end() ? std::string() : tool->second, false});
    }
  return out;
}

/// Of tools with so many results each, some that have `wanted` together; nothing if there are none such.
std::optional<names> adding_up_to(const std::map<std::string, std::size_t>& counts, std::size_t wanted) {
  std::map<std::size_t, names> reached{{0, {}}};
  for (const auto& [tool, count] : counts) {
    const auto before = reached;
    for (const auto& [sum, chosen] : before)
      if (sum + count <= wanted && !reached.contains(sum + count)) {
        reached[sum + count] = chosen;
        reached[sum + count].insert(tool);
      }
  }
  const auto found = reached.find(wanted);
  return found == reached.end() ? std::nullopt : std::optional(found->second);
}

// Results that were cleared can be; so can the first that stayed. Whether those behind it can, shows in how
// many stayed: as many as the session keeps.
look_ups way_to_clear(look_ups known, const state& before, std::span<const event> append) {
  const auto& cleared = *first_of<context_cleared>(append);
  const auto results = results_in(before, append);
  const auto is_cleared_here = [&](const shown_result& result) {
    return std::find(cleared.calls.begin(), cleared.calls.end(), result.call) != cleared.calls.end();
  };
  names certain;
  for (const auto& result : results)
    if (result.seq == cleared.before_seq || is_cleared_here(result))
      certain.insert(result.tool);
  std::map<std::string, std::size_t> behind;
  std::size_t kept = 0;
  for (const auto& result : results)
    if (result.seq >= cleared.before_seq && !result.is_cleared)
      certain.contains(result.tool) ? void(++kept) : void(++behind[result.tool]);
  for (const auto& result : results) // what stayed in front can't be cleared
    if (result.seq < cleared.before_seq && !result.is_cleared && !is_cleared_here(result))
      behind.erase(result.tool);
  const auto options = before.options->compaction.value_or(compaction_options{});
  const auto wanted = static_cast<std::size_t>(options.keep.value_or(kept_by_default));
  if (kept < wanted)
    if (const auto more = adding_up_to(behind, wanted - kept))
      certain.insert(more->begin(), more->end());
  for (const auto& tool : certain)
    known.tool_facts[tool].clearable = true;
  return known;
}

/// Which calls begin beside which: each tool's own nature, of which the log keeps what it led to.
std::vector<look_ups> ways_to_start(look_ups known, const state& before, std::span<const event> append) {
  names together;
  std::string last;
  std::string last_started;
  for (const auto& event : append)
    if (const auto* const it = std::get_if<tool_started>(&event.data)) {
      last = it->name;
      last_started = it->execution_id;
    }
  // whatever isn't over and stands before the last that began let it go beside itself
  for (const auto& call : before.calls) {
    if (call.phase != call_phase::settled && call.phase != call_phase::shown)
      together.insert(call.name);
    if (call.execution_id == last_started)
      break;
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
  if (first_of<context_cleared>(append) && before.options)
    return {way_to_clear(std::move(known), before, append)};
  if (first_of<tool_started>(append) || first_of<permission_decided>(append))
    return ways_to_start(std::move(known), before, append);
  return {std::move(known)};
}

} // namespace troupe::session
