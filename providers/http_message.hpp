// HTTP/1.1 messages as this room sees them: a head with lower-case field names, and bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::providers {

struct http_field {
  std::string name; ///< lower case
  std::string value;
  bool operator==(const http_field&) const = default;
};

/// The head of a response, or of a request where `method` and `target` are set.
struct http_head {
  int status = 0;
  std::string method;
  std::string target;
  std::vector<http_field> fields;

  /// The field's value; several fields of one name are joined by commas. Absent if there is none.
  std::optional<std::string> find(std::string_view name) const;
  /// The media type of the body, lower case and without parameters; empty if it isn't told.
  std::string media_type() const;
};

} // namespace troupe::providers
