// Streams of the Messages API that several tests read.
#pragma once

#include <string>

namespace troupe::providers::testing {

inline std::string sse_line(const std::string& type, const std::string& rest) {
  return "event: " + type + "\ndata: {\"type\":\"" + type + "\"" + rest + "}\n\n";
}

inline std::string started(
    const std::string& usage =
        R"({"input_tokens":41,"cache_creation_input_tokens":0,"cache_read_input_tokens":1200,"output_tokens":2})") {
  return sse_line("message_start",
      R"(,"message":{"id":"msg_t1","type":"message","role":"assistant","model":"claude-test-1","content":[],"stop_reason":null,"stop_sequence":null,"usage":)"
          + usage + "}");
}
inline std::string block_start(int index, const std::string& block) {
  return sse_line(
      "content_block_start", ",\"index\":" + std::to_string(index) + ",\"content_block\":" + block);
}
inline std::string delta(int index, const std::string& body) {
  return sse_line("content_block_delta", ",\"index\":" + std::to_string(index) + ",\"delta\":" + body);
}
inline std::string text_delta(int index, const std::string& text) {
  return delta(index, R"({"type":"text_delta","text":")" + text + "\"}");
}
inline std::string json_delta(int index, const std::string& escaped) {
  return delta(index, R"({"type":"input_json_delta","partial_json":")" + escaped + "\"}");
}
inline std::string block_stop(int index) {
  return sse_line("content_block_stop", ",\"index\":" + std::to_string(index));
}
inline std::string stop(const std::string& reason, const std::string& usage = R"({"output_tokens":58})") {
  return sse_line("message_delta",
      R"(,"delta":{"stop_reason":")" + reason + R"(","stop_sequence":null},"usage":)" + usage);
}
inline std::string message_stop() { return sse_line("message_stop", ""); }
inline std::string ping() { return sse_line("ping", ""); }
inline std::string text_start(int index) { return block_start(index, R"({"type":"text","text":""})"); }
inline std::string call_start(int index, const std::string& id, const std::string& name) {
  return block_start(
      index, R"({"type":"tool_use","id":")" + id + R"(","name":")" + name + R"(","input":{}})");
}

/// Thinking, then a call (wire reference A-1).
inline std::string thinking_and_call() {
  return started() + block_start(0, R"({"type":"thinking","thinking":"","signature":""})") + ping()
      + delta(0, R"({"type":"thinking_delta","thinking":"Need a reading."})")
      + delta(0, R"({"type":"signature_delta","signature":"c2lnLXRlc3Q="})") + block_stop(0)
      + call_start(1, "toolu_t1", "pump_status") + json_delta(1, "") + json_delta(1, R"({\"pu)")
      + json_delta(1, R"(mp\": 7})") + block_stop(1) + stop("tool_use") + message_stop();
}

} // namespace troupe::providers::testing
