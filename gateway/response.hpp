// An answer, and its head as bytes.
#pragma once

#include "gateway/request.hpp"

namespace troupe::gateway {

struct response {
  int status = 200;
  std::string content_type = "application/json"; ///< unused where there is no body
  std::string body;
  std::vector<header_field> headers; ///< besides type, length, date and connection

  /// The same with one more header field.
  response with(std::string name, std::string value) &&;
};

/// An answer without a body.
response no_content();

/// `json` is one JSON document.
response json_answer(std::string json, int status = 200);

/// How the head of an answer says where its body ends.
enum class framing { length, chunks, until_close, none };

/// The status line and all header fields with the empty line after them. A line end in a field's value
/// becomes a space: what we echo can't add a field.
std::string head_of(const response& what, framing frame, std::string_view date, bool keep_alive);

} // namespace troupe::gateway
