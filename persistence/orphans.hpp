// Rows that belong to nothing: what a database holds and no session can reach.
#pragma once

#include "messages/result.hpp"

#include <string>
#include <vector>

namespace troupe::persistence {

struct orphan {
  std::string what;    ///< a sentence's beginning, as "3 events beyond the head of their session"
  std::string example; ///< the first of them, for people
};

/// Looks through all tenants. It reads whole tables, and changes nothing. Errors: `unavailable`.
result<std::vector<orphan>> find_orphans(const std::string& url);

} // namespace troupe::persistence
