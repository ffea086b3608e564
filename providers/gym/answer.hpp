// The gym's answers on the wire of the Messages API: a stream of events, or one object.
#pragma once

#include "providers/gym/conversation.hpp"

namespace troupe::providers::gym {

/// Writes an answer step by step. `stream` appends events; without it everything is collected for
/// `whole`. Deterministic: the same conversation and steps give the same bytes, but for the ids.
class answer {
 public:
  answer(const conversation& asked, std::int64_t number);

  void begin(std::string& out); ///< `message_start`
  void add(const say& part, std::string& out);
  void add(const think& part, std::string& out);
  void add(const call_tool& part, std::string& out);
  void add(const break_stream& part, std::string& out);
  void set(const cut_text& part) { cut_ = part.bytes; }
  void set(const stop_with& part) { stop_ = part.reason; }
  void set(const report_usage& part) { usage_ = part.json; }
  void end(std::string& out); ///< `message_delta` and `message_stop`, unless the stop is empty

  /// The whole message as one object.
  std::string whole() const;
  /// The service's error document.
  static std::string error_document(std::string_view type, std::string_view message, std::int64_t number);

 private:
  void start_block(const std::string& block, std::string& out);
  void stop_block(std::string& out);
  void text_deltas(std::string_view text, std::string_view type, std::string_view key, std::string& out);
  std::string stop_reason() const;
  std::string usage_json() const;
  std::string fresh_call_id();

  std::string model_;
  std::string id_;
  std::set<std::string> taken_;
  std::int64_t inference_ = 1;
  std::int64_t calls_ = 0;
  std::int64_t index_ = 0;
  std::int64_t input_tokens_ = 0;
  std::int64_t output_tokens_ = 1;
  std::size_t cut_ = 0;
  std::optional<std::string> stop_;
  std::string usage_;
  std::string content_; ///< the blocks so far, as JSON, for `whole`
};

} // namespace troupe::providers::gym
