// What a browser tells of the page that sends a request. A server that asks for no key must not lend its
// trust in this machine to every page that a browser on it has open.
#pragma once

#include "gateway/request.hpp"

namespace troupe::gateway {

/// True if the request comes from a page of another origin than the one that it goes to.
bool is_cross_origin(const request& asked);

/// True if `Host` is `localhost` or a loopback address, with or without a port: a name that an attacker
/// has pointed at this machine isn't.
bool names_loopback(const request& asked);

} // namespace troupe::gateway
