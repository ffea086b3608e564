// Events as lines: what must not be in one is taken apart or cut.
#include "gateway/sse_writer.hpp"

namespace troupe::gateway {

namespace {

constexpr std::string_view line_ends{"\r\n\0", 3};

/// As one field a line; `\r\n`, `\n` and `\r` each end one.
void append_lines(std::string& out, std::string_view field, std::string_view text) {
  for (bool more = true; more;) {
    const auto end = text.find_first_of("\r\n");
    out.append(field).append(text.substr(0, end)).push_back('\n');
    more = end != std::string_view::npos;
    if (more)
      text.remove_prefix(text.substr(end, 2) == "\r\n" ? end + 2 : end + 1);
  }
}

} // namespace

void append_event(
    std::string& out, std::optional<std::uint64_t> id, std::string_view name, std::string_view data) {
  if (id)
    out.append("id: ").append(std::to_string(*id)).push_back('\n');
  out.append("event: ").append(name.substr(0, name.find_first_of(line_ends))).push_back('\n');
  append_lines(out, "data: ", data);
  out.push_back('\n');
}

void append_comment(std::string& out, std::string_view text) {
  append_lines(out, ": ", text);
  out.push_back('\n');
}

} // namespace troupe::gateway
