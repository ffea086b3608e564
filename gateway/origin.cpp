// Reading Host, Origin and Sec-Fetch-Site.
#include "gateway/origin.hpp"

#include <algorithm>

namespace troupe::gateway {

namespace {

std::string_view without_port(std::string_view host) {
  if (host.starts_with('['))
    return host.substr(0, std::min(host.find(']'), host.size() - 1) + 1);
  return host.substr(0, host.find(':'));
}

bool is_digits_and_dots(std::string_view text) {
  return text.find_first_not_of("0123456789.") == std::string_view::npos;
}

} // namespace

bool is_cross_origin(const request& asked) {
  if (const auto site = asked.header("sec-fetch-site"))
    return *site != "same-origin" && *site != "none";
  const auto origin = asked.header("origin");
  if (!origin)
    return false;
  const auto scheme = origin->find("://");
  return scheme == std::string_view::npos
      || lower(origin->substr(scheme + 3)) != lower(asked.header("host").value_or(""));
}

bool names_loopback(const request& asked) {
  const std::string host = lower(without_port(asked.header("host").value_or("")));
  return host == "localhost" || host == "[::1]" || (host.starts_with("127.") && is_digits_and_dots(host));
}

} // namespace troupe::gateway
