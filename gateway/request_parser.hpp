// One request out of bytes, in whatever pieces they come; strict where leniency would let two servers read
// two different requests.
#pragma once

#include "gateway/bounds.hpp"
#include "gateway/problem_document.hpp"

#include <memory>

namespace troupe::gateway {

/// Why a connection can't go on: nothing after this can be told apart from what came before.
struct complaint {
  refusal why = refusal::bad_request;
  std::string detail;
};

class request_parser {
 public:
  explicit request_parser(const bounds& limits);
  ~request_parser();

  /// Takes bytes and answers how many: all, unless the request ended before or there is a complaint.
  std::size_t feed(std::string_view bytes);

  const std::optional<complaint>& wrong() const;
  bool started() const; ///< some byte of the request has come
  bool head_done() const;
  bool done() const;
  std::size_t body_bytes() const; ///< that have come
  /// The client waits for a word before it sends the body.
  bool wants_invitation() const;
  bool is_http_1_0() const;
  /// Whether another request may follow.
  bool keep_alive() const;
  /// The whole request, once.
  request take();

  class machine; ///< Beast's side

 private:
  std::unique_ptr<machine> machine_;
};

} // namespace troupe::gateway
