// A request's target taken apart: the path's parts and the query, decoded once and checked.
#pragma once

#include "messages/result.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::gateway {

struct target_parts {
  std::vector<std::string> path; ///< `/a/b` → a, b; `/a/` → a and an empty one; `/` → an empty one
  std::string_view query;        ///< still encoded
};

/// `target` must outlive the answer. Errors: `invalid_input` for what can't be decoded (a bad `%`, what
/// isn't UTF-8, a control character), `not_found` for what names nothing here: empty parts, `.` and `..`, a
/// part with a slash in it.
result<target_parts> split_target(std::string_view target);

using query_values = std::vector<std::pair<std::string, std::string>>;

/// `a=1&b=x+y`, in order. Errors: as above, or `invalid_input` for more than 64 of them.
result<query_values> split_query(std::string_view query);

} // namespace troupe::gateway
