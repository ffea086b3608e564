// The last colon parts host and port, so that an IPv6 address in brackets may hold more of them.
#include "cli/listen_address.hpp"

#include <charconv>

namespace troupe::cli {

result<listen_address> parse_listen_address(const std::string& text) {
  const problem wrong{problem_code::invalid_input,
      "`" + text + "` is no HOST:PORT, as 127.0.0.1:8420 or [::1]:8420 (port 0: any that is free)", {}};
  const auto colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0)
    return wrong;
  listen_address out{text.substr(0, colon), 0};
  const auto* const end = text.data() + text.size();
  const auto [rest, bad] = std::from_chars(text.data() + colon + 1, end, out.port);
  if (bad != std::errc() || rest != end)
    return wrong;
  if (out.host.front() == '[' && out.host.back() == ']')
    out.host = out.host.substr(1, out.host.size() - 2);
  else if (out.host.find(':') != std::string::npos)
    return wrong;
  return out;
}

} // namespace troupe::cli
