// The parts of the scanner that need no type: strings, numbers, and values that stay text.
#include "messages/json_scanning.hpp"

#include "messages/json_runs.hpp"

#include <charconv>
#include <cmath>

namespace troupe::json {

namespace {

/// What is kept as text may nest so deep here; what is deeper is the reader's.
constexpr int kept_depth_max = depth_max / 2;

} // namespace

bool scanner::take_key(std::string_view name, bool first) {
  const std::size_t begin = at_;
  if ((first || take(",")) && take("\"") && take(name) && take("\":"))
    return true;
  at_ = begin;
  return false;
}

bool scanner::plain_string(std::string_view& out) {
  if (!take("\""))
    return false;
  const std::size_t begin = at_;
  at_ = run_end(text_, at_);
  out = text_.substr(begin, at_ - begin);
  return take("\"");
}

bool scanner::get(std::string& out) {
  out.clear(); // some fields have a value before they are read
  if (!take("\""))
    return false;
  while (at_ < text_.size()) {
    const std::size_t begin = at_;
    at_ = run_end(text_, at_);
    out.append(text_, begin, at_ - begin);
    if (take("\""))
      return true;
    if (!escape(out))
      return false;
  }
  return false;
}

// Of code points only control characters, which have no other form; others are the reader's: they may be
// halves.
bool scanner::escape(std::string& out) {
  static constexpr std::string_view letters = "\"\\/bfnrt";
  static constexpr std::string_view meant = "\"\\/\b\f\n\r\t";
  if (take("\\u00"))
    return control(out);
  if (!take("\\") || at_ == text_.size())
    return false;
  const auto known = letters.find(text_[at_++]);
  if (known == std::string_view::npos)
    return false;
  out.push_back(meant[known]);
  return true;
}

bool scanner::control(std::string& out) {
  const std::string_view digits = text_.substr(at_, 2);
  unsigned unit = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
  if (digits.size() < 2 || read.ec != std::errc() || read.ptr != digits.data() + 2 || unit >= 0x20)
    return false;
  at_ += 2;
  out.push_back(static_cast<char>(unit));
  return true;
}

bool scanner::get(bool& out) {
  out = take("true");
  return out || take("false");
}

bool scanner::pass_number() {
  const auto digits = [&] {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9')
      ++at_;
    return at_ > begin;
  };
  take("-");
  if (!take("0") && !digits())
    return false;
  if (take(".") && !digits())
    return false;
  if (!take("e") && !take("E"))
    return true;
  if (!take("+"))
    take("-");
  return digits();
}

template <class N> bool scanner::number(N& out) {
  const std::size_t begin = at_;
  if (!pass_number())
    return false;
  const char* const end = text_.data() + at_;
  const auto read = std::from_chars(text_.data() + begin, end, out);
  return read.ec == std::errc() && read.ptr == end;
}

bool scanner::get(std::int64_t& out) { return number(out); }
bool scanner::get(std::uint64_t& out) { return number(out); }
bool scanner::get(double& out) { return number(out) && std::isfinite(out); }

bool scanner::pass_string() {
  if (!take("\""))
    return false;
  while (at_ < text_.size()) {
    at_ = run_end(text_, at_);
    if (take("\""))
      return true;
    std::string unused;
    if (!escape(unused))
      return false;
  }
  return false;
}

bool scanner::pass_items(char close, bool keyed, int depth) {
  const std::string_view end(&close, 1);
  if (take(end))
    return true;
  do
    if ((keyed && !(pass_string() && take(":"))) || !pass_value(depth + 1))
      return false;
  while (take(","));
  return take(end);
}

bool scanner::pass_value(int depth) {
  if (depth > kept_depth_max || at_ == text_.size())
    return false;
  switch (text_[at_]) {
  case '{':
    ++at_;
    return pass_items('}', true, depth);
  case '[':
    ++at_;
    return pass_items(']', false, depth);
  case '"':
    return pass_string();
  case 't':
    return take("true");
  case 'f':
    return take("false");
  case 'n':
    return take("null");
  default:
    return pass_number();
  }
}

bool scanner::get(raw& out) {
  const std::size_t begin = at_;
  if (!pass_value(1))
    return false;
  out.text = text_.substr(begin, at_ - begin);
  return true;
}

bool scanner::get(large_text& out) {
  if (at_ == text_.size() || text_[at_] == '"') {
    std::string text;
    if (!get(text))
      return false;
    out = large_text(std::move(text));
    return true;
  }
  blob_ref named;
  if (!get(named))
    return false;
  out = large_text::reference(std::move(named));
  return true;
}

bool scanner::get(referenced_text& out) {
  blob_ref named;
  if (!get(named))
    return false;
  out.content = large_text::reference(std::move(named));
  return true;
}

bool scanner::get(content& out) {
  if (at_ < text_.size() && text_[at_] == '[')
    return get(out.value.emplace<std::vector<content_part>>());
  return get(out.value.emplace<large_text>());
}

} // namespace troupe::json
