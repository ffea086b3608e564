// Reading JSON: recursive descent that keeps each value's own text.
#include "messages/json.hpp"

#include "messages/text.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::json {

/// Recursive descent, as deep as `levels` lets it.
class parser {
 public:
  parser(std::string_view text, int levels)
      : text_(text), all_utf8_(is_utf8(text)), levels_(std::min(levels, depth_max)) {}

  result<value> document() {
    value root;
    skip_space();
    if (!parse_value(root, 1))
      return failure_;
    skip_space();
    if (at_ != text_.size())
      return fault("nothing more after the value");
    return root;
  }

 private:
  problem fault(std::string_view expected) const {
    return {problem_code::invalid_input,
        "not JSON at byte " + std::to_string(at_) + ": expected " + std::string(expected), {}};
  }
  bool fail(std::string_view expected) {
    failure_ = fault(expected);
    return false;
  }
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return text_[at_]; }
  bool take(char c) {
    if (at_end() || peek() != c)
      return false;
    ++at_;
    return true;
  }
  void skip_space() {
    while (!at_end() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r'))
      ++at_;
  }

  bool parse_value(value& out, int depth) {
    if (depth > levels_) {
      failure_ = {
          problem_code::too_large, "JSON is nested deeper than " + std::to_string(levels_) + " levels", {}};
      return false;
    }
    if (at_end())
      return fail("a value");
    const std::size_t begin = at_;
    bool good = false;
    switch (peek()) {
    case '{':
      good = parse_object(out, depth);
      break;
    case '[':
      good = parse_array(out, depth);
      break;
    case '"':
      out.kind_ = kind::string;
      good = parse_string(out.string_);
      break;
    case 't':
      good = parse_word("true", out, kind::boolean);
      break;
    case 'f':
      good = parse_word("false", out, kind::boolean);
      break;
    case 'n':
      good = parse_word("null", out, kind::null);
      break;
    default:
      good = parse_number(out);
    }
    out.source_ = text_.substr(begin, at_ - begin);
    return good;
  }

  bool parse_word(std::string_view word, value& out, kind k) {
    if (text_.substr(at_, word.size()) != word)
      return fail("a value");
    at_ += word.size();
    out.kind_ = k;
    out.boolean_ = word == "true";
    return true;
  }

  bool digits() {
    const std::size_t begin = at_;
    while (!at_end() && peek() >= '0' && peek() <= '9')
      ++at_;
    return at_ > begin;
  }

  bool parse_number(value& out) {
    out.kind_ = kind::number;
    const std::size_t begin = at_;
    take('-');
    if (!take('0') && !digits())
      return at_ = begin, fail("a value");
    if (take('.') && !digits())
      return fail("a digit");
    if (take('e') || take('E')) {
      if (!take('+'))
        take('-');
      if (!digits())
        return fail("a digit");
    }
    return true;
  }

  bool parse_array(value& out, int depth) {
    out.kind_ = kind::array;
    ++at_;
    skip_space();
    if (take(']'))
      return true;
    do {
      skip_space();
      if (!parse_value(out.items_.emplace_back(), depth + 1))
        return false;
      skip_space();
    } while (take(','));
    return take(']') || fail("`,` or `]`");
  }

  bool parse_object(value& out, int depth) {
    out.kind_ = kind::object;
    ++at_;
    skip_space();
    if (take('}'))
      return true;
    do {
      skip_space();
      if (at_end() || peek() != '"')
        return fail("a key in quotes");
      auto& member = out.members_.emplace_back();
      if (!parse_string(member.first))
        return false;
      skip_space();
      if (!take(':'))
        return fail("`:`");
      skip_space();
      if (!parse_value(member.second, depth + 1))
        return false;
      skip_space();
    } while (take(','));
    return take('}') || fail("`,` or `}`");
  }

  bool parse_string(std::string& out) {
    ++at_;
    while (true) {
      const std::size_t begin = at_;
      while (!at_end() && peek() != '"' && peek() != '\\' && static_cast<unsigned char>(peek()) >= 0x20)
        ++at_;
      out.append(text_.substr(begin, at_ - begin));
      if (at_end())
        return fail("the end of a string");
      if (take('"'))
        break;
      if (!take('\\'))
        return fail("no control character inside a string");
      if (!parse_escape(out))
        return false;
    }
    if (!all_utf8_)
      out = to_utf8(out);
    return true;
  }

  bool parse_escape(std::string& out) {
    if (at_end())
      return fail("an escape");
    static constexpr std::string_view letters = "\"\\/bfnrt";
    static constexpr std::string_view meant = "\"\\/\b\f\n\r\t";
    const char letter = text_[at_++];
    if (const auto i = letters.find(letter); i != std::string_view::npos) {
      out.push_back(meant[i]);
      return true;
    }
    char32_t unit = 0;
    if (letter != 'u' || !parse_hex(unit))
      return fail("an escape");
    char32_t low = 0;
    if (unit >= 0xD800 && unit < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      const std::size_t before = at_;
      at_ += 2;
      if (!parse_hex(low))
        return fail("four hexadecimal digits");
      if (low >= 0xDC00 && low < 0xE000)
        unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
      else
        at_ = before;
    }
    append_utf8(out, unit);
    return true;
  }

  bool parse_hex(char32_t& unit) {
    if (at_ + 4 > text_.size())
      return false;
    unsigned parsed = 0;
    const char* const first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, first + 4, parsed, 16);
    if (error != std::errc() || end != first + 4)
      return false;
    at_ += 4;
    unit = parsed;
    return true;
  }

  std::string_view text_;
  bool all_utf8_;
  int levels_;
  std::size_t at_ = 0;
  problem failure_;
};

result<value> parse(std::string_view text, int levels) { return parser(text, levels).document(); }

} // namespace troupe::json
