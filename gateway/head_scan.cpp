// The rules of lines, before those of fields.
#include "gateway/head_scan.hpp"

namespace troupe::gateway {

namespace {

constexpr std::size_t method_bytes_max = 32;
/// What the first line has besides the URL: a method, two spaces, a version, a line end.
constexpr std::size_t around_url_bytes_max = method_bytes_max + 12;

bool is_method_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
}

} // namespace

head_state head_scan::take(char c) {
  if (c == '\0' || after_cr_ != (c == '\n'))
    return head_state::broken;
  after_cr_ = c == '\r';
  if (c == '\n') {
    const bool is_empty = line_bytes_ == 1; // the CR
    line_bytes_ = 0;
    if (is_empty) // before a request it is harmless (RFC 9112 §2.2)
      return line_ > 0 ? head_state::whole : head_state::more;
    return ++line_ > limits_.headers_max + 1 ? head_state::fields_too_big : head_state::more;
  }
  const bool is_empty_line = line_bytes_ == 0 && c == '\r';
  if (line_ == 0 && in_method_ && !is_empty_line) {
    in_method_ = line_bytes_ == 0 || c != ' ';
    if (in_method_ && (!is_method_letter(c) || line_bytes_ == method_bytes_max))
      return head_state::broken;
  }
  if (line_ > 0 && line_bytes_ == 0 && (c == ' ' || c == '\t'))
    return head_state::broken;
  ++line_bytes_;
  if (line_ == 0)
    return line_bytes_ > limits_.url_bytes_max + around_url_bytes_max ? head_state::url_too_long
                                                                      : head_state::more;
  return ++field_bytes_ > limits_.headers_bytes_max ? head_state::fields_too_big : head_state::more;
}

head_state head_scan::take(std::string_view bytes, std::size_t& used) {
  for (used = 0; used < bytes.size();)
    if (const head_state now = take(bytes[used++]); now != head_state::more)
      return now;
  return head_state::more;
}

} // namespace troupe::gateway
