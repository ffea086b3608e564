// Streams of Chat Completions that several tests read.
#pragma once

#include <string>

namespace troupe::providers::testing::chat {

inline std::string data(const std::string& json) { return "data: " + json + "\n\n"; }

inline std::string chunk(const std::string& choices, const std::string& more = R"(,"usage":null)") {
  return data(
      R"({"id":"cc_1","object":"chat.completion.chunk","created":1764460000,"model":"gpt-test","choices":[)"
      + choices + "]" + more + "}");
}
inline std::string delta(const std::string& members) {
  return chunk(R"({"index":0,"delta":{)" + members + R"(},"finish_reason":null})");
}
inline std::string text(const std::string& words) { return delta("\"content\":\"" + words + "\""); }
inline std::string calls(const std::string& entries) { return delta("\"tool_calls\":[" + entries + "]"); }
inline std::string call_start(int index, const std::string& id, const std::string& name) {
  return calls("{\"index\":" + std::to_string(index) + ",\"id\":\"" + id
      + R"(","type":"function","function":{"name":")" + name + R"(","arguments":""}})");
}
inline std::string arguments(int index, const std::string& escaped) {
  return calls("{\"index\":" + std::to_string(index) + R"(,"function":{"arguments":")" + escaped + "\"}}");
}
inline std::string finish(const std::string& reason) {
  return chunk(R"({"index":0,"delta":{},"finish_reason":")" + reason + "\"}");
}
inline std::string usage(const std::string& numbers) { return chunk("", ",\"usage\":" + numbers); }
inline std::string done() { return "data: [DONE]\n\n"; }

/// Two calls whose fragments interleave (wire reference B-1).
inline std::string two_calls() {
  return delta(R"("role":"assistant","content":null)") + call_start(0, "call_a", "wx")
      + calls(R"({"index":1,"id":"call_b","type":"function","function":{"name":"wx","arguments":"{\"ci"}})")
      + arguments(0, R"({\"city\":\"Oslo\"})") + arguments(1, R"(ty\":\"Bergen\"})") + finish("tool_calls")
      + usage(
          R"({"prompt_tokens":60,"completion_tokens":34,"total_tokens":94,"prompt_tokens_details":{"cached_tokens":0}})")
      + done();
}

/// Every kind of piece, with characters of every width.
inline std::string everything() {
  return delta(R"("role":"assistant","content":"")") + delta(R"("reasoning_content":"hm 你")")
      + text("你好🙂 caf\\u00e9") + ": comment\r\n\r\n" + text(" ok") + call_start(0, "c1", "add")
      + arguments(0, R"({\"a\":\"\\u00e9🙂\")") + arguments(0, ",\\\"b\\\":2}") + call_start(1, "c2", "sub")
      + finish("tool_calls") + usage(R"({"prompt_tokens":9,"completion_tokens":4,"total_tokens":13})")
      + done();
}

} // namespace troupe::providers::testing::chat
