// The events of a Messages stream, or of a whole Messages answer, as ours. Pure.
#pragma once

#include "providers/answer_stream.hpp"

#include <map>

namespace troupe::providers::anthropic {

class stream_decoder final : public answer_stream {
 public:
  bool take(const sse_event& event, std::vector<stream_event>& events) override;

 private:
  /// A block between its start and its stop, kept by the index on the wire.
  struct open_block {
    std::int64_t index = 0; ///< ours
    block_kind kind = block_kind::text;
    std::string text;      ///< or thinking, or the argument text
    std::string signature; ///< or the data of redacted thinking
    bool redacted = false;
    std::string call_id;
    std::string name;
    std::string body; ///< of a server's block: its JSON as it came
  };

  bool start_block(const json::value& event, std::vector<stream_event>& events);
  bool add_delta(const json::value& event, std::vector<stream_event>& events);
  void stop_block(const json::value& event, std::vector<stream_event>& events);
  bool take_message_delta(const json::value& event);
  void take_message_start(const json::value& event);
  void take_usage(const json::value* usage);
  void take_error(const json::value& event);
  std::string stop_name() const override;
  troupe::usage usage() const override;
  void check_whole() override;

  std::map<std::int64_t, open_block> open_;
  bool begun_ = false; ///< `message_start` has come
  std::optional<std::int64_t> input_, cache_read_, cache_write_, output_, reasoning_;
};

/// A 200 with `application/json`: the message as one object, or an error.
class whole_decoder final : public whole_answer {
  void tell(const std::string& body, std::optional<failure> cut, std::vector<stream_event>& events) override;
};

/// The failure that an error document's `type` and `details.error_code` stand for.
failure failure_of_type(std::string_view type, std::string_view error_code, std::string message);

} // namespace troupe::providers::anthropic
