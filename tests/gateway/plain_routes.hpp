// The routes that need no server to work, for whoever calls a router itself.
#pragma once

#include "gateway/router.hpp"

namespace troupe::gateway::testing {

void add_plain_routes(router& to);

} // namespace troupe::gateway::testing
