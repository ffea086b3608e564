// Base URLs: http or https, a host, and nothing that a request would silently lose.
#include "providers/base_url.hpp"

#include "messages/text.hpp"

#include <boost/url/parse.hpp>

#include <charconv>

namespace troupe::providers {

result<base_address> parse_base_url(std::string_view url) {
  auto refuse = [&](std::string rule) {
    return problem{problem_code::invalid_input,
        "base_url \"" + std::string(utf8_prefix(to_utf8(url), 200)) + "\" " + std::move(rule)
            + "; write it as https://HOST, with a port and a path if need be",
        {}};
  };
  auto parsed = boost::urls::parse_uri(url);
  if (!parsed)
    return refuse("is no URL");
  if (parsed->has_userinfo())
    return problem{problem_code::invalid_input,
        "base_url holds a user or a password; take them out and give the key as api_key_env", {}};
  base_address address;
  address.to.tls = parsed->scheme() == "https";
  if (!address.to.tls && parsed->scheme() != "http")
    return refuse("is neither http nor https");
  if (parsed->has_query() || parsed->has_fragment())
    return refuse("has a query or a fragment");
  address.to.host = parsed->host_address();
  if (address.to.host.empty())
    return refuse("names no host");
  address.to.port = address.to.tls ? 443 : 80;
  if (parsed->has_port() && !parsed->port().empty()) {
    auto digits = parsed->port();
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), address.to.port);
    if (error != std::errc{} || address.to.port == 0)
      return refuse("has a port outside 1 to 65535");
  }
  address.path = std::string(parsed->encoded_path());
  while (address.path.ends_with('/'))
    address.path.pop_back();
  return address;
}

} // namespace troupe::providers
