// The gym's answers on the wire of Chat Completions.
#pragma once

#include "providers/gym/answer.hpp"

namespace troupe::providers::gym {

class chat_answer final : public answer {
 public:
  chat_answer(const conversation& asked, std::int64_t number)
      : answer(asked, "chatcmpl-gym-" + std::to_string(number), "call_gym_"),
        tells_usage_(asked.stream_usage) {}

  void begin(std::string& out) override; ///< the chunk with the role
  void add(const say& part, std::string& out) override;
  void add(const think& part, std::string& out) override;
  void add(const call_tool& part, std::string& out) override;
  void add(const break_stream& part, std::string& out) override;
  void end(std::string& out) override; ///< the reason, the usage and `[DONE]`, unless the stop is empty
  std::string whole() const override;

 private:
  void chunk(std::string_view choices, const std::string& usage, std::string& out);
  void delta(std::string_view body, std::string& out);
  void text_deltas(std::string_view text, std::string_view key, std::string& out);
  std::string finish_reason() const;
  std::string usage_json() const;

  bool tells_usage_;
  std::size_t call_count_ = 0;
  std::string text_;
  std::string thought_;
  std::string calls_json_; ///< for `whole`
};

} // namespace troupe::providers::gym
