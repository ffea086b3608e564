// Where a server listens, as people write it: `127.0.0.1:8420`, `[::1]:8420`, `localhost:0`.
#pragma once

#include "messages/result.hpp"

#include <cstdint>
#include <string>

namespace troupe::cli {

struct listen_address {
  std::string host;
  std::uint16_t port = 0; ///< 0: any that is free
};

/// Errors: `invalid_input` for what isn't HOST:PORT.
result<listen_address> parse_listen_address(const std::string& text);

} // namespace troupe::cli
