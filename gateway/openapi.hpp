// The API as an OpenAPI 3.1 document, made from the table of routes.
#pragma once

#include "gateway/router.hpp"

namespace troupe::gateway {

std::string openapi_document(const std::vector<route>& routes, std::string_view version);

/// Adds `GET /openapi.json`, which describes all the routes that are there and itself: to be added last.
void add_openapi(router& to, std::string_view version);

} // namespace troupe::gateway
