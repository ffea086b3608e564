// Looking things up in a request's head.
#include "gateway/request.hpp"

#include "messages/text.hpp"

#include <algorithm>

namespace troupe::gateway {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view white = " \t\r\n";
  const auto first = text.find_first_not_of(white);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(white) - first + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c + ('a' - 'A'));
  return out;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  const char letter = static_cast<char>(c | 0x20);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

std::string shown(std::string_view text) {
  constexpr std::size_t bytes_max = 100;
  const std::string lawful = to_utf8(text.substr(0, 2 * bytes_max));
  const std::string_view start = utf8_prefix(lawful, bytes_max);
  return "\"" + std::string(start) + (start.size() < text.size() ? "…\"" : "\"");
}

std::optional<std::string_view> request::header(std::string_view name) const {
  const auto found =
      std::find_if(headers.begin(), headers.end(), [&](const header_field& one) { return one.name == name; });
  return found == headers.end() ? std::nullopt : std::optional<std::string_view>(found->value);
}

std::string request::media_type() const {
  const std::string_view value = header("content-type").value_or("");
  return lower(trimmed(value.substr(0, value.find(';'))));
}

bool request::accepts_event_stream() const {
  for (const header_field& one : headers) {
    if (one.name != "accept")
      continue;
    std::string_view rest = one.value;
    while (!rest.empty()) {
      const std::string_view range = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), range.size() + 1));
      if (lower(trimmed(range.substr(0, range.find(';')))) == "text/event-stream")
        return true;
    }
  }
  return false;
}

} // namespace troupe::gateway
