// Chunk framing byte by byte, content in bulk.
#include "providers/chunk_reader.hpp"

namespace troupe::providers {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  const char letter = static_cast<char>(c | 0x20);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

bool is_text(char c) { return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != '\x7f'); }

} // namespace

chunk_reader::state chunk_reader::take_digit(int digit) {
  const auto value = static_cast<std::size_t>(digit);
  if (value > content_left_ || chunk_left_ > (content_left_ - value) / 16)
    return state::too_large;
  chunk_left_ = chunk_left_ * 16 + value;
  return to(part::size_or_more);
}

chunk_reader::state chunk_reader::behind_size(char c) {
  switch (c) {
  case ' ':
  case '\t':
    return to(part::size_blank);
  case ';':
    return to(part::extension);
  case '\r':
    return to(part::size_end);
  default:
    return state::broken;
  }
}

chunk_reader::state chunk_reader::step(char c) {
  const bool is_framed = part_ != part::content_cr && part_ != part::content_lf;
  if (is_framed && ++line_bytes_ > line_bytes_max)
    return state::broken;
  switch (part_) {
  case part::size:
  case part::size_or_more:
    if (const int digit = hex_digit(c); digit >= 0)
      return take_digit(digit);
    return part_ == part::size ? state::broken : behind_size(c);
  case part::size_blank:
    return behind_size(c);
  case part::extension:
    return c == '\r' ? to(part::size_end) : is_text(c) ? state::more : state::broken;
  case part::size_end:
    line_bytes_ = 0;
    return c != '\n' ? state::broken : to(chunk_left_ > 0 ? part::content : part::trailer);
  case part::content:
    break; // not byte by byte
  case part::content_cr:
    return c == '\r' ? to(part::content_lf) : state::broken;
  case part::content_lf:
    return c == '\n' ? to(part::size) : state::broken;
  case part::trailer:
    return c == '\r' ? to(part::last_end) : is_text(c) ? to(part::in_trailer) : state::broken;
  case part::in_trailer:
    return c == '\r' ? to(part::trailer_end) : is_text(c) ? state::more : state::broken;
  case part::trailer_end:
    return c == '\n' ? to(part::trailer) : state::broken;
  case part::last_end:
    return c == '\n' ? state::whole : state::broken;
  }
  return state::broken;
}

chunk_reader::state chunk_reader::take(std::string_view bytes, std::size_t& used, std::string& out) {
  for (used = 0; used < bytes.size();) {
    if (part_ == part::content) {
      const std::string_view content = bytes.substr(used, chunk_left_);
      out += content;
      used += content.size();
      content_left_ -= content.size();
      chunk_left_ -= content.size();
      if (chunk_left_ == 0)
        part_ = part::content_cr;
    } else if (const state now = step(bytes[used++]); now != state::more) {
      return now;
    }
  }
  return state::more;
}

} // namespace troupe::providers
