// The chunks of a Chat Completions stream, or a whole completion, as our events. Pure.
#pragma once

#include "providers/answer_stream.hpp"
#include "providers/openai_chat/calls.hpp"

namespace troupe::providers::openai_chat {

/// A chunk may bring text, thinking, a refusal, fragments of calls, the reason to stop, or the usage.
/// A block of text ends where something else begins; calls are finished with the reason to stop.
class stream_decoder final : public answer_stream {
 public:
  bool take(const sse_event& event, std::vector<stream_event>& events) override;

 private:
  struct open_text {
    std::int64_t index = 0;
    block_kind kind = block_kind::text;
    std::string text;
  };

  bool take_choice(const json::value& choice, std::vector<stream_event>& events);
  bool take_delta(const json::value& delta, std::vector<stream_event>& events);
  bool take_content(const json::value& content, std::vector<stream_event>& events);
  bool take_calls(const json::value& calls, std::vector<stream_event>& events);
  bool take_stop(const std::string& reason, std::vector<stream_event>& events);
  bool add_text(block_kind kind, const std::string& piece, std::vector<stream_event>& events);
  bool add_fragment(
      const call_fragment& fragment, std::size_t place, std::size_t row, std::vector<stream_event>& events);
  bool tell_call(assembled_call& call, std::string_view added, std::vector<stream_event>& events);
  void close_text(std::vector<stream_event>& events);
  bool close_calls(std::vector<stream_event>& events);
  bool may_go_on();
  void take_usage(const json::value* said);
  std::string stop_name() const override;
  troupe::usage usage() const override;

  std::optional<open_text> text_;
  call_assembly assembly_;
  std::size_t finished_calls_ = 0;
  bool refused_ = false; ///< the model's refusal has begun
  std::optional<std::int64_t> prompt_, completion_, total_, cached_, cache_write_, reasoning_;
};

class whole_decoder final : public whole_answer {
  void tell(const std::string& body, std::optional<failure> cut, std::vector<stream_event>& events) override;
};

/// What an error document says, in the service's form or in one of those that compatible servers have.
struct told_error {
  std::string type;
  std::string code; ///< a number as its digits
  std::string message;
};

/// Absent if `document` holds no error.
std::optional<told_error> error_in(const json::value& document);

/// The failure that the words stand for; `unknown` where they say nothing.
failure failure_of(const told_error& told);

} // namespace troupe::providers::openai_chat
