// A request as it came: a head with lower-case field names, and the whole body.
#pragma once

#include "messages/json.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::gateway {

struct header_field {
  std::string name; ///< lower case
  std::string value;
  bool operator==(const header_field&) const = default;
};

struct request {
  std::string method;
  std::string target; ///< as it came; a router takes it apart
  std::vector<header_field> headers;
  std::string body;
  int json_depth_max = json::depth_max; ///< of the body: what the server that took it goes by

  /// The first field of that name (lower case); absent if there is none.
  std::optional<std::string_view> header(std::string_view name) const;
  /// The media type of the body, lower case and without parameters; empty if it isn't told.
  std::string media_type() const;
  /// True if `Accept` names `text/event-stream`.
  bool accepts_event_stream() const;
};

/// `text` without white space at its ends.
std::string_view trimmed(std::string_view text);
/// ASCII letters in lower case.
std::string lower(std::string_view text);
/// The value of a hexadecimal digit; negative for anything else.
int hex_digit(char c);
/// What a client wrote, as our messages quote it: in quotes, cut to a readable length, UTF-8.
std::string shown(std::string_view text);

} // namespace troupe::gateway
