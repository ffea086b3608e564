// HTTP/1.1 messages out of bytes, for both sides: Beast's parser behind a border without Beast.
#pragma once

#include "messages/result.hpp"
#include "providers/http_message.hpp"

#include <memory>

namespace troupe::providers {

inline constexpr std::size_t http_head_bytes_max = std::size_t{64} << 10;

enum class http_role : std::uint8_t { request, response };

/// Reads one message. Interim responses (1xx) are messages of their own, without a body.
class http_parser {
 public:
  /// `body_bytes_max` bounds the body; 0 is no bound.
  explicit http_parser(http_role role, std::uint64_t body_bytes_max = 0);
  ~http_parser();

  /// Takes bytes and appends what belongs to the body, without chunk framing, to `body`. Answers how
  /// many bytes it took: all, unless the message ended before. Errors: `invalid_input` if this isn't
  /// HTTP/1.1, `too_large` for a head over 64 KiB or a body over its bound.
  result<std::size_t> feed(std::string_view bytes, std::string& body);

  /// The stream ended here. An error if the message isn't whole; one whose body runs to the end is.
  result<void> finish();

  bool started() const; ///< some byte of the message has come
  bool head_done() const;
  bool done() const;
  const http_head& head() const;
  /// Whether another message may follow on the connection.
  bool keep_alive() const;

  class machine; ///< Beast's side

 private:
  result<void> take_head();
  result<std::size_t> put(std::string_view bytes);

  http_role role_;
  std::unique_ptr<machine> machine_;
  std::string held_; ///< the head until it is whole, then framing that isn't
  bool head_whole_ = false;
  bool ambiguous_ = false; ///< named both of its lengths
};

} // namespace troupe::providers
