// The gym's answers on the wire of the Messages API.
#pragma once

#include "providers/gym/answer.hpp"

namespace troupe::providers::gym {

class messages_answer final : public answer {
 public:
  messages_answer(const conversation& asked, std::int64_t number)
      : answer(asked, "msg_gym_" + std::to_string(number), "toolu_gym_"), compacts_(asked.compacts) {}

  void begin(std::string& out) override; ///< `message_start`
  void add(const say& part, std::string& out) override;
  void add(const think& part, std::string& out) override;
  void add(const call_tool& part, std::string& out) override;
  void add(const break_stream& part, std::string& out) override;
  void end(std::string& out) override; ///< `message_delta` and `message_stop`, unless the stop is empty
  std::string whole() const override;

 private:
  enum class open_block : std::uint8_t { none, text, thinking };
  void compact(std::string_view text, std::string& out);
  void go_on_in(open_block kind, std::string& out);
  void close_block(std::string& out);
  std::string open_content() const;
  std::string signature() const { return "gym-" + std::to_string(inference_) + "-" + std::to_string(index_); }
  void start_block(const std::string& block, std::string& out);
  void stop_block(std::string& out);
  void text_deltas(std::string_view text, std::string_view type, std::string_view key, std::string& out);
  std::string stop_reason() const { return stop_.value_or(compacts_ ? "compaction" : "end_turn"); }
  std::string usage_json() const;

  bool compacts_; ///< what is said is the one block of a compaction
  std::int64_t index_ = 0;
  open_block open_ = open_block::none;
  std::string open_text_;
  std::string content_; ///< the blocks so far, as JSON, for `whole`
};

} // namespace troupe::providers::gym
