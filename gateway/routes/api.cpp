// What clients see of problems that are the server's own.
#include "gateway/routes/api.hpp"

namespace troupe::gateway {

problem problem_for_client(const problem& why) {
  if (why.code != problem_code::fenced && why.code != problem_code::owned_elsewhere
      && why.code != problem_code::behind)
    return why;
  return {problem_code::unavailable, why.detail, why.errors};
}

} // namespace troupe::gateway
