// A batch of calls: from its request over receipts to its results, and on.
#include "session/permission_policy.hpp"
#include "session/steps.hpp"

#include <algorithm>

namespace troupe::session {

namespace {

const tool_fact& fact_of(const std::map<std::string, tool_fact>& facts, const std::string& name) {
  static const tool_fact unknown;
  const auto found = facts.find(name);
  return found == facts.end() ? unknown : found->second;
}

void ask(draft& d, const call_state& call) {
  if (!d.in().known.can_ask) {
    const std::string reason(nobody_to_ask);
    d.add(tool_decided{call.execution_id, "deny", "policy", reason, std::nullopt});
    return refuse_call(d, call, denial(reason), error_kind::precondition);
  }
  d.add(permission_requested{d.new_id(), call.execution_id, call.name, std::nullopt, "policy", std::nullopt});
}

// In call order, one after the other: lookup to schema (checked before), then permission.
void prepare(draft& d, const call_state& call, const call_check& check) {
  if (check.refusal)
    return refuse_call(d, call, *check.refusal, check.kind);
  const auto* const rule = find_rule(*d.now().options, call.name);
  if (!rule)
    return;
  if (rule->decision == permission::ask)
    return ask(d, call);
  const bool allowed = rule->decision == permission::allow;
  d.add(tool_decided{call.execution_id, allowed ? "allow" : "deny", "policy", rule->reason, std::nullopt});
  if (!allowed)
    refuse_call(d, call, denial(rule->reason), error_kind::precondition);
}

// After a whole batch: at the limit or when every result ends it the run is over, else the model is
// shown the results, with what steers it behind them.
void after_batch(draft& d) {
  const auto& calls = d.now().calls;
  const bool terminated =
      std::all_of(calls.begin(), calls.end(), [](const call_state& c) { return c.settled->terminate; });
  if (terminated)
    return proceed(d, {});
  if (at_limit(d.now()))
    return end_at_limit(d);
  consume(d, delivery::steer);
  infer(d);
}

void add_result(draft& d, const call_state& call) {
  tool_result result{call.call.inference_id, call.call.index, call.call_id, call.execution_id, std::nullopt,
      std::nullopt, call.settled->error_kind};
  if (!call.settled->from_receipt) {
    result.content = call.settled->content;
    result.is_error = call.settled->is_error;
  }
  d.add(std::move(result));
}

// Results stand in call order: each waits for those before it.
void add_due_results(draft& d) {
  for (std::size_t i = 0; i < d.now().calls.size(); ++i) {
    const call_state call = d.now().calls[i];
    if (call.phase == call_phase::shown)
      continue;
    if (call.phase != call_phase::settled)
      return;
    add_result(d, call);
  }
}

bool is_settled(const call_state& c) {
  return c.phase == call_phase::settled || c.phase == call_phase::shown;
}

} // namespace

std::string denial(const std::optional<std::string>& reason) {
  return "[Permission denied] " + (reason && !reason->empty() ? *reason : std::string("Not allowed."));
}

void refuse_call(draft& d, const call_state& call, std::string text, std::optional<error_kind> kind) {
  d.add(tool_receipt{call.execution_id, 0, tool_outcome::not_started, content(std::move(text)), true, kind,
      std::nullopt, std::nullopt, std::nullopt});
}

void request_tools(draft& d, const std::vector<call_check>& checks) {
  if (ends_at_output_limit(d, d.now().inference->calls.size()))
    return;
  const auto inference = *d.now().inference;
  tools_requested requested{inference.data->inference_id, {}};
  for (const auto& [index, block] : inference.calls)
    requested.calls.push_back({d.new_id(), index, block->call_id, block->name});
  d.add(std::move(requested));
  const auto calls = d.now().calls;
  for (std::size_t i = 0; i < calls.size(); ++i)
    prepare(d, calls[i], i < checks.size() ? checks[i] : call_check{});
  settle_batch(d);
}

void settle_batch(draft& d) {
  add_due_results(d);
  const auto& calls = d.now().calls;
  if (!d.now().aborting() && !calls.empty()
      && std::all_of(
          calls.begin(), calls.end(), [](const call_state& c) { return c.phase == call_phase::shown; }))
    after_batch(d);
}

std::vector<std::string> may_start(const state& now, const std::map<std::string, tool_fact>& facts) {
  static constexpr int running_max = 4; // of `batched`
  std::vector<std::string> out;
  if (!now.run || now.aborting() || now.parked)
    return out;
  const bool one_by_one = now.options->tool_execution == execution_mode::sequential
      || std::any_of(now.calls.begin(), now.calls.end(),
          [&](const call_state& c) { return fact_of(facts, c.name).sequential; });
  const bool batched = !one_by_one && now.options->tool_execution == execution_mode::batched;
  int running = 0;
  for (const auto& call : now.calls) {
    if (is_settled(call))
      continue;
    const bool shared = fact_of(facts, call.name).shared;
    const bool first = running == 0;
    const bool open = one_by_one ? first : !batched || (running < running_max && (shared || first));
    if (call.phase == call_phase::ready && open)
      out.push_back(call.execution_id);
    if (!open || (batched && !shared))
      break; // whatever is behind waits for it
    ++running;
  }
  return out;
}

void start_call(draft& d, const std::string& execution_id) {
  const auto& call = *d.now().find_call(execution_id);
  const auto& fact = fact_of(d.in().known.tool_facts, call.name);
  tool_started started{
      execution_id, call.attempt + 1, call.name, call.changed_arguments, fact.client, std::nullopt};
  if (fact.client)
    started.deadline =
        to_string(timestamp{std::max(d.now().at, d.in().now).microseconds + fact.timeout_ms * 1000});
  d.add(std::move(started));
}

namespace {

// An uncertain call stays what it was: nobody has said what becomes of it.
void close_call(draft& d, const call_state& call, const std::string& by) {
  const bool uncertain = call.phase == call_phase::uncertain;
  const bool failed = uncertain && call.failure;
  const bool started = uncertain || call.phase == call_phase::running;
  const std::string text = failed ? *call.failure
      : uncertain                 ? "The tool call was interrupted by a restart and was not retried."
      : started && by == "close"  ? "The tool call was abandoned when the agent closed."
                                  : "The tool call was aborted.";
  const auto outcome = failed ? tool_outcome::failed
      : uncertain             ? tool_outcome::unknown
      : started               ? tool_outcome::aborted
                              : tool_outcome::not_started;
  d.add(tool_receipt{call.execution_id, started ? call.attempt : 0, outcome, content(text), true,
      std::nullopt, std::nullopt, std::nullopt, std::nullopt});
}

} // namespace

void close_aborted_run(draft& d, const usage& used) {
  const std::string by = d.now().run->aborted_by.value_or("user");
  if (d.now().compaction)
    give_up_compaction(d, cancelled_compaction());
  if (d.now().inference && d.now().inference->open) {
    d.add(inference_finished{d.now().inference->data->inference_id, inference_state::cancelled, std::nullopt,
        std::nullopt, used, 0, std::nullopt, std::nullopt, std::nullopt});
    close_calls(d, "The response ended before this tool call was dispatched.");
  }
  const auto calls = d.now().calls;
  for (const auto& call : calls) {
    if (call.phase == call_phase::asking)
      d.add(permission_expired{call.decision_id, "run_ended"});
    if (!is_settled(call))
      close_call(d, call, by);
  }
  add_due_results(d);
  end_run(
      d, turn_outcome::aborted, {run_outcome_kind::aborted, std::nullopt, std::nullopt, std::nullopt, by});
}

} // namespace troupe::session
