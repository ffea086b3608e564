// HTTP/1.1 messages out of bytes, for both sides; no Beast in here.
#pragma once

#include "messages/result.hpp"
#include "providers/chunk_reader.hpp"
#include "providers/http_message.hpp"

namespace troupe::providers {

inline constexpr std::size_t http_head_bytes_max = std::size_t{64} << 10;

enum class http_role : std::uint8_t { request, response };

/// Reads one message. Interim responses (1xx) are messages of their own, without a body.
class http_parser {
 public:
  /// `body_bytes_max` bounds the body; 0 is no bound.
  explicit http_parser(http_role role, std::size_t body_bytes_max = 0);

  /// Takes bytes and appends what belongs to the body, without chunk framing, to `body`. Answers how
  /// many bytes it took: all, unless the message ended before. Errors: `invalid_input` if this isn't
  /// HTTP/1.1, `too_large` for a head over 64 KiB or a body over its bound.
  result<std::size_t> feed(std::string_view bytes, std::string& body);

  /// The stream ended here. An error if the message isn't whole; one whose body runs to the end is.
  result<void> finish();

  bool started() const { return head_done_ || !held_.empty(); } ///< some byte of the message has come
  bool head_done() const { return head_done_; }
  bool done() const { return done_; }
  const http_head& head() const { return head_; }
  /// Whether another message may follow on the connection.
  bool keep_alive() const { return done_ && keep_alive_; }

 private:
  /// How the end of the body is told.
  enum class framing : std::uint8_t { length, chunks, end_of_stream };

  result<std::size_t> feed_head(std::string_view bytes);
  result<void> take_head();
  result<std::size_t> feed_chunks(std::string_view bytes, std::string& body);
  result<std::size_t> feed_body(std::string_view bytes, std::string& body);
  problem body_too_large() const;

  http_role role_;
  std::size_t body_bytes_max_;
  std::string held_; ///< the head until it is whole
  http_head head_;
  framing framing_ = framing::length;
  std::size_t body_left_ = 0; ///< by its length; or up to its bound, where it runs to the end
  chunk_reader chunks_;
  bool head_done_ = false;
  bool done_ = false;
  bool keep_alive_ = false;
};

} // namespace troupe::providers
