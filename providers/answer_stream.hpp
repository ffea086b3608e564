// An answer that comes as an event stream: bounds, breaches and the end, the same for every format.
#pragma once

#include "providers/fields.hpp"
#include "providers/sse.hpp"
#include "providers/wire_format.hpp"

namespace troupe::providers {

/// The text of one answer, with all its blocks, may be this big.
inline constexpr std::size_t answer_bytes_max = std::size_t{64} << 20;
inline constexpr std::size_t blocks_max = 10'000;

/// A decoder of events, which a format gives their meaning. Without a reason to stop an answer isn't
/// whole; the first breach ends it, and what was finished before stays.
class answer_stream : public decoder {
 public:
  void keep_frames_within(std::size_t bytes) final;
  bool feed(std::string_view bytes, std::vector<stream_event>& events) final;
  bool complete() const final { return done_ && !failed_; }
  void finish(std::optional<failure> cut, std::vector<stream_event>& events) final;

  /// Takes one event of the stream. False when it breaks a rule.
  virtual bool take(const sse_event& event, std::vector<stream_event>& events) = 0;

 protected:
  /// Our name of `stop_raw_`.
  virtual std::string stop_name() const = 0;
  virtual troupe::usage usage() const = 0;
  /// With a reason to stop and the body's end: fails if the answer is still not whole.
  virtual void check_whole() {}

  bool fail(std::string message); ///< as `invalid_request`
  bool fail(failure error);
  /// The event's JSON object, which refers to the event; absent when it failed.
  std::optional<json::value> object_of(const sse_event& event);
  bool count(std::size_t bytes);
  /// The index of the next block; absent when there are too many.
  std::optional<std::int64_t> next_block();
  bool failed() const { return failed_.has_value(); }

  bool done_ = false; ///< the answer has said that nothing more comes
  std::optional<std::string> stop_raw_;
  std::optional<std::string> response_id_;
  std::optional<std::string> response_model_;

 private:
  std::size_t frame_max_ = sse_frame_bytes_max;
  sse_decoder sse_;
  std::vector<sse_event> read_;
  std::int64_t next_index_ = 0;
  std::size_t bytes_ = 0;
  std::optional<failure> failed_;
};

/// A 200 with `application/json`: the whole answer as one object, or an error.
class whole_answer : public decoder {
 public:
  void keep_frames_within(std::size_t bytes) final { body_max_ = bytes; }
  bool feed(std::string_view bytes, std::vector<stream_event>& events) final;
  bool complete() const final { return false; }
  void finish(std::optional<failure> cut, std::vector<stream_event>& events) final;

 protected:
  /// Tells the body, which is UTF-8 by now, as `finish` does.
  virtual void tell(
      const std::string& body, std::optional<failure> cut, std::vector<stream_event>& events) = 0;

 private:
  std::size_t body_max_ = sse_frame_bytes_max;
  std::string body_; ///< at most one byte over the bound
};

} // namespace troupe::providers
