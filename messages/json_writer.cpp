// Writing JSON: compact text, the fewest escapes, shortest numbers.
#include "messages/json.hpp"
#include "messages/json_runs.hpp"
#include "messages/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace troupe::json {

void append_string(std::string& out, std::string_view text) {
  static constexpr std::string_view hex_digits = "0123456789abcdef";
  out.push_back('"');
  std::size_t copied = 0;
  for (std::size_t i = run_end(text, 0); i < text.size(); i = run_end(text, i + 1)) {
    const auto c = static_cast<unsigned char>(text[i]);
    out.append(text.substr(copied, i - copied));
    copied = i + 1;
    switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\b':
      out += "\\b";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\f':
      out += "\\f";
      break;
    case '\r':
      out += "\\r";
      break;
    default:
      out += "\\u00";
      out.push_back(hex_digits[c >> 4]);
      out.push_back(hex_digits[c & 15]);
    }
  }
  out.append(text.substr(copied));
  out.push_back('"');
}

void append_number(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  out.append(buffer, end);
}

std::string quote(std::string_view text) {
  std::string out;
  append_string(out, text);
  return out;
}

namespace {

bool has_double_keys(const value& v) {
  std::vector<std::string_view> keys;
  for (const auto& [key, member] : v.members()) {
    keys.push_back(key);
    if (has_double_keys(member))
      return true;
  }
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) != keys.end()
      || std::any_of(v.items().begin(), v.items().end(), has_double_keys);
}

bool has_inexact_numbers(const value& v) {
  if (v.is(kind::number)) {
    const bool whole = v.source().find_first_of(".eE") == std::string_view::npos;
    return whole ? !v.as_int64() && !v.as_uint64() : !v.as_double();
  }
  return std::any_of(v.items().begin(), v.items().end(), has_inexact_numbers)
      || std::any_of(v.members().begin(), v.members().end(),
          [](const auto& m) { return has_inexact_numbers(m.second); });
}

// The unit that a \uXXXX escape at `at` names, or nothing if there is none.
std::optional<unsigned> escaped_unit(std::string_view text, std::size_t at) {
  unsigned unit = 0;
  if (text.substr(at, 2) != "\\u" || at + 6 > text.size())
    return std::nullopt;
  std::from_chars(text.data() + at + 2, text.data() + at + 6, unit, 16);
  return unit;
}

// Copies the escape at `at` (of lawful JSON) and gives its length; a lone surrogate becomes U+FFFD.
std::size_t copy_escape(std::string& out, std::string_view text, std::size_t at) {
  const auto unit = escaped_unit(text, at);
  std::size_t length = unit ? 6 : 2;
  if (unit && *unit >= 0xD800 && *unit < 0xE000) {
    const auto low = escaped_unit(text, at + 6);
    if (*unit >= 0xDC00 || !low || *low < 0xDC00 || *low >= 0xE000) {
      out += "\xEF\xBF\xBD";
      return length;
    }
    length = 12;
  }
  out.append(text.substr(at, length));
  return length;
}

std::string without_space(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (in_string && c == '\\') {
      i += copy_escape(out, text, i);
      continue;
    }
    if (c == '"')
      in_string = !in_string;
    if (in_string || (c != ' ' && c != '\t' && c != '\n' && c != '\r'))
      out.push_back(c);
    ++i;
  }
  return out;
}

} // namespace

result<compacted> compact(std::string_view text) {
  const std::string repaired = is_utf8(text) ? std::string() : to_utf8(text);
  const std::string_view clean = repaired.empty() ? text : std::string_view(repaired);
  const auto parsed = parse(clean);
  if (!parsed)
    return parsed.error();
  return compacted{
      {without_space(clean)}, parsed->type(), has_double_keys(*parsed), has_inexact_numbers(*parsed)};
}

void writer::separate() {
  if (needs_comma_)
    out_.push_back(',');
  needs_comma_ = true;
}
writer& writer::begin_object() {
  separate();
  out_.push_back('{');
  needs_comma_ = false;
  return *this;
}
writer& writer::end_object() {
  out_.push_back('}');
  needs_comma_ = true;
  return *this;
}
writer& writer::begin_array() {
  separate();
  out_.push_back('[');
  needs_comma_ = false;
  return *this;
}
writer& writer::end_array() {
  out_.push_back(']');
  needs_comma_ = true;
  return *this;
}
writer& writer::key(std::string_view name) {
  separate();
  append_string(out_, name);
  out_.push_back(':');
  needs_comma_ = false;
  return *this;
}
writer& writer::string(std::string_view text) {
  separate();
  append_string(out_, text);
  return *this;
}
writer& writer::number(std::int64_t number) { return raw_text(std::to_string(number)); }
writer& writer::number(std::uint64_t number) { return raw_text(std::to_string(number)); }
writer& writer::number(double number) {
  separate();
  append_number(out_, number);
  return *this;
}
writer& writer::boolean(bool yes) { return raw_text(yes ? "true" : "false"); }
writer& writer::null() { return raw_text("null"); }
writer& writer::raw_text(std::string_view json) {
  separate();
  out_.append(json);
  return *this;
}

} // namespace troupe::json
