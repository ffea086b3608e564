// The gym's answers, step by step: a stream of events, or one object. Their bytes are a service's.
#pragma once

#include "providers/gym/conversation.hpp"

namespace troupe::providers::gym {

/// Writes an answer. What is added appends to the stream and is kept for `whole`. Deterministic: the
/// same conversation and steps give the same bytes, but for the ids.
class answer {
 public:
  virtual ~answer() = default;

  virtual void begin(std::string& out) = 0;
  virtual void add(const say& part, std::string& out) = 0;
  virtual void add(const think& part, std::string& out) = 0;
  virtual void add(const call_tool& part, std::string& out) = 0;
  virtual void add(const break_stream& part, std::string& out) = 0;
  virtual void end(std::string& out) = 0;
  void set(const cut_text& part) { cut_ = part.bytes; }
  void set(const stop_with& part) { stop_ = part.reason; }
  void set(const report_usage& part) { usage_ = part.json; }

  /// All of it as one object.
  virtual std::string whole() const = 0;

 protected:
  answer(const conversation& asked, std::string id, std::string call_prefix);

  /// Takes the next piece off `text`, cut as the script wants it, else after words.
  std::string_view next_piece(std::string_view& text) { return take_piece(text, cut_); }
  /// The same of arguments, which have no words.
  std::string_view next_argument_piece(std::string_view& text);
  /// The number of the inference and of the call in it, further on where the conversation has that.
  std::string fresh_call_id();

  std::string model_;
  std::string id_;
  std::int64_t inference_ = 1;
  std::int64_t input_tokens_ = 0;
  std::int64_t output_tokens_ = 1;
  std::size_t cut_ = 0;
  std::optional<std::string> stop_; ///< an empty one sends none
  std::string usage_;               ///< what the script says, as JSON

 private:
  std::string_view take_piece(std::string_view& text, std::size_t bytes);

  std::string call_prefix_;
  std::set<std::string> taken_;
  std::int64_t calls_ = 0;
};

} // namespace troupe::providers::gym
