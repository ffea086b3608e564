// The events of an attempt as text, for comparing.
#pragma once

#include "providers/provider.hpp"

namespace troupe::providers::testing {

inline std::string content_of(const block& one) {
  if (const auto* text = std::get_if<text_block>(&one))
    return "text " + text->text.text;
  if (const auto* thought = std::get_if<thinking_block>(&one))
    return "thinking " + thought->text.text + " " + thought->signature.value_or("");
  if (const auto* call = std::get_if<tool_call_block>(&one))
    return "call " + call->call_id + " " + call->name + " "
        + (call->arguments ? call->arguments->text : "raw " + call->arguments_raw->text);
  return "server " + std::to_string(one.index());
}

/// All but the usage of the end.
inline std::string told(const stream_event& event) {
  if (const auto* begun = std::get_if<block_started>(&event))
    return "start " + std::to_string(begun->index) + " " + std::to_string(static_cast<int>(begun->kind)) + " "
        + begun->call_id + " " + begun->name + "\n";
  if (const auto* piece = std::get_if<block_delta>(&event))
    return "delta " + std::to_string(piece->index) + " " + piece->text + "\n";
  if (const auto* done = std::get_if<block_finished>(&event))
    return "done " + std::to_string(done->index) + " " + content_of(done->block) + "\n";
  const auto& end = std::get<attempt_finished>(event);
  return "end " + end.stop.value_or("-") + " " + (end.error ? end.error->message : "") + "\n";
}

} // namespace troupe::providers::testing
