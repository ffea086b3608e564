// Head and tail of a stream that may be endless.
#include "tools/workspace/bounded_output.hpp"

#include "messages/text.hpp"

#include <algorithm>

namespace troupe::tools {

namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Broken bytes grow threefold as U+FFFD; the bound holds for what comes out.
std::string bounded_utf8(std::string_view bytes, std::size_t bytes_max, bool keep_end) {
  std::string text = to_utf8(bytes);
  if (text.size() <= bytes_max)
    return text;
  if (!keep_end)
    return std::string(utf8_prefix(text, bytes_max));
  std::size_t begin = text.size() - bytes_max;
  while (begin < text.size() && continues_character(text[begin]))
    ++begin;
  return text.substr(begin);
}

} // namespace

void bounded_output::append(std::string_view bytes) {
  total_ += bytes.size();
  const std::size_t room = std::min(half_ - head_.size(), bytes.size());
  head_ += bytes.substr(0, room);
  bytes.remove_prefix(room);
  if (bytes.size() > half_)
    bytes.remove_prefix(bytes.size() - half_);
  tail_ += bytes;
  if (tail_.size() > 2 * half_)
    tail_.erase(0, tail_.size() - half_);
}

std::string bounded_output::text() const {
  std::string_view tail = tail_;
  if (tail.size() > half_)
    tail.remove_prefix(tail.size() - half_);
  const std::uint64_t left_out = total_ - head_.size() - tail.size();
  if (left_out == 0)
    return bounded_utf8(head_ + std::string(tail), 2 * half_, true);
  std::string_view head = utf8_prefix(head_, head_.size() - 1); // no half character at the cut
  while (!tail.empty() && continues_character(tail.front()))
    tail.remove_prefix(1);
  return bounded_utf8(head, half_, false) + "\n[… " + std::to_string(total_ - head.size() - tail.size())
      + " of " + std::to_string(total_) + " bytes are left out here …]\n" + bounded_utf8(tail, half_, true);
}

} // namespace troupe::tools
