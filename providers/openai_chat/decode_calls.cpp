// The calls of a stream: told as they grow, finished with the reason to stop.
#include "providers/openai_chat/decode.hpp"

namespace troupe::providers::openai_chat {

namespace {

// Arguments are text; some servers send the object itself, and null is nothing.
std::string argument_text(const json::value* arguments) {
  if (arguments == nullptr || arguments->is(json::kind::null))
    return {};
  return arguments->is(json::kind::string) ? arguments->as_string() : std::string(arguments->source());
}

call_fragment fragment_of(const json::value& entry) {
  const auto* function = entry.find("function");
  const auto* custom = entry.find("custom");
  call_fragment out{number_at(&entry, "index"), string_at(&entry, "id"), string_at(function, "name"), {}};
  out.arguments = argument_text(function != nullptr ? function->find("arguments") : nullptr);
  if (custom != nullptr) { // free text instead of JSON: nobody offered such a tool, but it is kept
    out.name = string_at(custom, "name");
    out.arguments = argument_text(custom->find("input"));
  }
  return out;
}

} // namespace

bool stream_decoder::take_calls(const json::value& calls, std::vector<stream_event>& events) {
  const auto& row = calls.items();
  for (std::size_t i = 0; i < row.size(); ++i)
    if (!add_fragment(fragment_of(row[i]), i, row.size(), events))
      return false;
  return true;
}

bool stream_decoder::add_fragment(
    const call_fragment& fragment, std::size_t place, std::size_t row, std::vector<stream_event>& events) {
  if (fragment.id.empty() && fragment.name.empty() && fragment.arguments.empty())
    return true;
  if (!may_go_on())
    return false;
  auto& call = assembly_.calls()[assembly_.add(fragment, place, row)];
  if (assembly_.calls().size() > blocks_max)
    return fail("the provider's answer has more than " + std::to_string(blocks_max) + " calls");
  return tell_call(call, fragment.arguments, events)
      && count(fragment.id.size() + fragment.name.size() + fragment.arguments.size());
}

// A call begins with its name; what came of it before is told with it.
bool stream_decoder::tell_call(
    assembled_call& call, std::string_view added, std::vector<stream_event>& events) {
  if (call.name.empty())
    return true;
  if (call.block < 0) {
    close_text(events);
    auto index = next_block();
    if (!index)
      return false;
    call.block = *index;
    events.push_back(block_started{call.block, block_kind::tool_call, call.id, call.name});
    added = call.arguments;
  }
  if (!added.empty())
    events.push_back(block_delta{call.block, block_kind::tool_call, std::string(added)});
  return true;
}

bool stream_decoder::close_calls(std::vector<stream_event>& events) {
  for (auto& call : assembly_.calls()) {
    if (call.block < 0)
      return fail("the provider sent a tool call without a name");
    auto made = make_tool_call(std::move(call.id), std::move(call.name), call.arguments);
    if (stop_raw_ == "length" && !call.watch.closed())
      continue; // cut off in the middle: it says nothing that could be run or told again
    events.push_back(block_finished{call.block, std::move(made)});
    ++finished_calls_;
  }
  return true;
}

// What is called says more than the reason: several servers stop for tools with `stop`.
std::string stream_decoder::stop_name() const {
  if (*stop_raw_ == "stop")
    return refused_ ? "refusal" : finished_calls_ > 0 ? "tool_use" : "end_turn";
  if (*stop_raw_ == "tool_calls")
    return "tool_use";
  if (*stop_raw_ == "length")
    return "max_tokens";
  return *stop_raw_;
}

} // namespace troupe::providers::openai_chat
