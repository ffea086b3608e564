// The events of a Messages stream, or of a whole Messages answer, as ours. Pure.
#pragma once

#include "providers/sse.hpp"
#include "providers/wire_format.hpp"

#include <map>

namespace troupe::providers::anthropic {

/// The text of one answer, with all its blocks, may be this big.
inline constexpr std::size_t answer_bytes_max = std::size_t{64} << 20;
inline constexpr std::size_t blocks_max = 10'000;

class stream_decoder final : public decoder {
 public:
  bool feed(std::string_view bytes, std::vector<stream_event>& events) override;
  bool complete() const override { return stopped_ && !failed_; }
  void finish(std::optional<failure> cut, std::vector<stream_event>& events) override;

  /// Takes one event of the stream. False when it breaks a rule.
  bool take(const sse_event& event, std::vector<stream_event>& events);

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
  bool fail(std::string message);
  bool count(std::size_t bytes);

  sse_decoder sse_;
  std::vector<sse_event> read_;
  std::map<std::int64_t, open_block> open_;
  std::int64_t next_index_ = 0;
  std::size_t bytes_ = 0;
  bool begun_ = false;   ///< `message_start` has come
  bool stopped_ = false; ///< `message_stop` has come
  std::optional<std::string> stop_raw_;
  std::optional<std::string> response_id_;
  std::optional<std::string> response_model_;
  std::optional<std::int64_t> input_, cache_read_, cache_write_, output_, reasoning_;
  std::optional<failure> failed_;
};

/// A 200 with `application/json`: the message as one object, or an error.
class whole_decoder final : public decoder {
 public:
  bool feed(std::string_view bytes, std::vector<stream_event>& events) override;
  bool complete() const override { return false; }
  void finish(std::optional<failure> cut, std::vector<stream_event>& events) override;

 private:
  std::string body_;
};

/// The failure that an error document's `type` and `details.error_code` stand for.
failure failure_of_type(std::string_view type, std::string_view error_code, std::string message);

/// Our name of a stop reason.
std::string stop_name(std::string_view raw);

} // namespace troupe::providers::anthropic
