// Members by their path, and frames by their blank line.
#include "tests/served/answered.hpp"

#include "messages/json.hpp"

namespace troupe::testing {

namespace {

const json::value* found(const json::value& in, std::string_view path) {
  const json::value* at = &in;
  while (at && !path.empty()) {
    const auto slash = path.find('/');
    const std::string name(path.substr(0, slash));
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    if (at->is(json::kind::array)) {
      const auto index = std::stoul(name);
      at = index < at->items().size() ? &at->items()[index] : nullptr;
    } else {
      at = at->find(name);
    }
  }
  return at;
}

} // namespace

std::string answered::at(std::string_view path) const {
  const auto parsed = json::parse(body);
  const auto* const value = parsed ? found(*parsed, path) : nullptr;
  if (!value)
    return {};
  return value->is(json::kind::string) ? value->as_string() : std::string(value->source());
}

std::size_t answered::size(std::string_view path) const {
  const auto parsed = json::parse(body);
  const auto* const value = parsed ? found(*parsed, path) : nullptr;
  return value ? value->items().size() : 0;
}

std::optional<sent_event> take_event(std::string& brought) {
  while (true) {
    const auto end = brought.find("\n\n");
    if (end == std::string::npos)
      return std::nullopt;
    sent_event event;
    const std::string frame = brought.substr(0, end + 1);
    brought.erase(0, end + 2);
    for (std::size_t at = 0; at < frame.size();) {
      const auto line_end = frame.find('\n', at);
      const std::string line = frame.substr(at, line_end - at);
      at = line_end + 1;
      if (line.starts_with("id: "))
        event.id = line.substr(4);
      if (line.starts_with("event: "))
        event.name = line.substr(7);
      if (line.starts_with("data: "))
        event.data += line.substr(6);
    }
    if (!event.name.empty()) // else a comment
      return event;
  }
}

} // namespace troupe::testing
