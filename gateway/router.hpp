// Finds the route of a request and checks all of it that doesn't need to know the resource.
#pragma once

#include "gateway/route.hpp"

namespace troupe::gateway {

/// Says who asks: calls `admitted`, now or later, on whatever thread, or answers the exchange itself.
using gate =
    std::function<void(const std::shared_ptr<exchange>&, scope needs, std::function<void(caller)> admitted)>;

/// In this order: path (404), method (405), draining (503), the gate (401, 403), parameters and whether
/// there may be a body (400), handler. Immutable once it serves.
class router {
 public:
  /// Without a gate everyone is admitted as the default tenant.
  explicit router(gate keeper = {}) : keeper_(std::move(keeper)) {}

  void add(route one);
  const std::vector<route>& routes() const { return routes_; }

  void operator()(std::shared_ptr<exchange> one) const;

 private:
  void admitted(std::shared_ptr<exchange> one, matched found, std::string_view raw_query) const;

  gate keeper_;
  std::vector<route> routes_;
  std::vector<std::vector<std::string>> patterns_; ///< the routes' paths, cut into parts
};

} // namespace troupe::gateway
