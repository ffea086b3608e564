// The address that a provider's configuration gives.
#pragma once

#include "providers/transport.hpp"

namespace troupe::providers {

struct base_address {
  endpoint to;
  std::string path; ///< without a slash at the end
};

/// The host, port and path of a base URL. Errors: `invalid_input` that names the rule it breaks.
result<base_address> parse_base_url(std::string_view url);

} // namespace troupe::providers
