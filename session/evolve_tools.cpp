// The folds of a batch: each call's way from the request to its result.
#include "session/evolve.hpp"

#include <algorithm>

namespace troupe::session::detail {

namespace {

call_state* find(state& now, const std::string& execution_id) {
  const auto found = std::find_if(now.calls.begin(), now.calls.end(),
      [&](const call_state& c) { return c.execution_id == execution_id; });
  return found == now.calls.end() ? nullptr : &*found;
}

void settle(call_state& call, settlement how) {
  call.settled = std::make_shared<const settlement>(std::move(how));
  call.phase = call_phase::settled;
}

} // namespace

void fold_tools(state& now, const tools_requested& it) {
  now.calls.clear();
  for (const auto& requested : it.calls) {
    call_state call;
    call.execution_id = requested.execution_id;
    call.call = {it.inference_id, requested.index};
    call.call_id = requested.call_id;
    call.name = requested.name;
    call.phase = call_phase::ready; // unless an ask or a receipt follows
    if (now.inference)
      for (const auto& [index, block] : now.inference->calls)
        if (index == requested.index)
          call.arguments = block->arguments;
    now.calls.push_back(std::move(call));
  }
}

void fold_tools(state& now, const tool_decided& it) {
  auto* const call = find(now, it.execution_id);
  if (!call)
    return;
  if (it.arguments)
    call->changed_arguments = it.arguments;
}

void fold_tools(state& now, const permission_requested& it) {
  auto* const call = find(now, it.execution_id);
  if (!call)
    return;
  call->phase = call_phase::asking;
  call->decision_id = it.decision_id;
}

void fold_tools(state& now, const permission_decided& it) {
  auto* const call = find(now, it.execution_id);
  if (!call)
    return;
  call->phase = call_phase::ready;
  if (it.arguments)
    call->changed_arguments = it.arguments;
}

void fold_tools(state& now, const tool_started& it) {
  auto* const call = find(now, it.execution_id);
  if (!call)
    return;
  call->phase = call_phase::running;
  call->attempt = it.attempt;
  call->client = it.client;
  call->failure.reset();
  call->deadline.reset();
  if (it.deadline)
    if (const auto due = parse_timestamp(*it.deadline))
      call->deadline = *due;
}

void fold_tools(state& now, const tool_receipt& it) {
  auto* const call = find(now, it.execution_id);
  if (call)
    settle(*call, {it.content, it.is_error, it.error_kind, it.terminate.value_or(false), true});
}

void fold_tools(state& now, const event& at, const tool_result& it) {
  content shown = it.content.value_or(content());
  bool is_error = it.is_error.value_or(false);
  if (!it.execution_id && now.inference && now.inference->data->inference_id == it.inference_id)
    std::erase_if(now.inference->calls, [&](const auto& call) { return call.first == it.index; }); // closed
  if (it.execution_id)
    if (auto* const call = find(now, *it.execution_id)) {
      if (call->settled && !it.content)
        shown = call->settled->content;
      if (call->settled && !it.is_error)
        is_error = call->settled->is_error;
      call->phase = call_phase::shown;
    }
  const auto before = now.context.size();
  now.context.add_result(it, shown, is_error, at.seq);
  count_output(now, before);
  now.owed = owed_kind::inference;
}

void fold_tools(state& now, const tool_uncertain& it) {
  auto* const call = find(now, it.execution_id);
  if (!call)
    return;
  call->phase = call_phase::uncertain;
  if (it.reason == "failed")
    call->failure = it.error.value_or("");
}

void fold_tools(state& now, const tool_resolved& it) {
  auto* const call = find(now, it.execution_id);
  if (!call)
    return;
  call->resolved = it.verdict;
  if (it.verdict == verdict::abandon)
    settle(*call,
        it.result ? settlement{*it.result, false, std::nullopt, false, false}
                  : settlement{
                      content("The tool call was abandoned by a person."), true, std::nullopt, false, false});
  else
    call->phase = call_phase::ready;
}

} // namespace troupe::session::detail
