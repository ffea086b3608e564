// Patterns over Boost.Regex: it keeps its stack on the heap and counts its steps, where
// `std::regex` runs out of stack on a long text and of time on a hostile pattern.
#define BOOST_REGEX_MAX_STATE_COUNT 1'000'000
#include "tools/pattern.hpp"

#include "messages/text.hpp"

#include <boost/regex.hpp>

namespace troupe::tools {

namespace {

constexpr std::size_t source_bytes_max = 1024;
constexpr std::string_view known_letters = "dDwWsSbBtnrfv";

problem unsupported(std::string_view source, const std::string& what) {
  return {
      problem_code::invalid_input, "the pattern " + std::string(source) + " isn't supported: " + what, {}};
}

/// The code points of well-formed UTF-8; `wchar_t` is 32 bits wide where we run.
std::wstring wide(std::string_view text) {
  static_assert(sizeof(wchar_t) == 4);
  std::wstring out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    const int more = lead < 0xC0 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    std::uint32_t code = more == 0 ? lead : lead & (0x3FU >> more);
    for (int k = 0; k < more && i < text.size(); ++k)
      code = (code << 6) | (static_cast<unsigned char>(text[i++]) & 0x3FU);
    out.push_back(static_cast<wchar_t>(code));
  }
  return out;
}

/// The source in Boost's Perl syntax; what the two languages don't share is refused.
result<std::string> to_perl(std::string_view source) {
  std::string out;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    if (c == '(' && source.substr(i, 2) == "(?") {
      const std::string_view kind = source.substr(i + 2, 1);
      if (kind != ":" && kind != "=" && kind != "!")
        return unsupported(source, "only the groups (…), (?:…), (?=…) and (?!…) are");
    }
    if (c != '\\' || i + 1 == source.size()) {
      out += c;
      continue;
    }
    const char next = source[++i];
    const bool letter = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
    if (next == 'u') {
      if (source.size() - i < 5)
        return unsupported(source, "\\u needs four hexadecimal digits");
      out += "\\x{" + std::string(source.substr(i + 1, 4)) + "}";
      i += 4;
    } else if (next == '0') {
      out += "\\x{0}";
    } else if ((next >= '1' && next <= '9')
        || (letter && known_letters.find(next) == std::string_view::npos && next != 'x')) {
      return unsupported(source, std::string("\\") + next + " is not understood");
    } else {
      (out += '\\') += next;
    }
  }
  return out;
}

} // namespace

struct pattern::machine {
  boost::wregex expression;
};

result<pattern> pattern::compile(std::string_view source) {
  if (source.size() > source_bytes_max)
    return unsupported(
        source.substr(0, 40), "it is longer than " + std::to_string(source_bytes_max) + " bytes");
  auto perl = to_perl(source);
  if (perl.has_error())
    return perl.error();
  pattern made;
  made.source_ = std::string(source);
  try {
    made.machine_ = std::make_shared<const machine>(
        machine{boost::wregex(wide(*perl), boost::regex::perl | boost::regex::no_mod_m)});
  } catch (const std::runtime_error& error) {
    return unsupported(source, error.what());
  }
  return made;
}

pattern::outcome pattern::match(std::string_view text) const {
  try {
    const auto flags =
        boost::match_default | boost::match_single_line | boost::match_not_dot_newline | boost::match_any;
    return boost::regex_search(wide(text), machine_->expression, flags) ? outcome::matches : outcome::differs;
  } catch (const std::runtime_error&) {
    return outcome::too_hard;
  }
}

} // namespace troupe::tools
