// JSON from outside, before its meaning.
#include "gateway/body.hpp"

#include "messages/text.hpp"

#include <algorithm>

namespace troupe::gateway {

namespace {

constexpr std::size_t faults_max = 20;

/// True if there are more values than `json_values_max`: seen before anything is made of them, since each
/// costs a hundred times its text.
bool has_too_many_values(std::string_view text) {
  std::size_t values = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      i += c == '\\' ? 1 : 0;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == ',' || c == '[' || c == '{') {
      if (++values > json_values_max)
        return true;
    }
  }
  return false;
}

/// The first key that an object names twice; empty if there is none. The nesting is bounded by the parser.
std::string double_key(const json::value& in) {
  if (in.is(json::kind::array)) {
    for (const json::value& one : in.items())
      if (auto found = double_key(one); !found.empty())
        return found;
    return {};
  }
  if (!in.is(json::kind::object))
    return {};
  std::vector<std::string_view> keys;
  for (const auto& [key, held] : in.members()) {
    keys.push_back(key);
    if (auto found = double_key(held); !found.empty())
      return found;
  }
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  return twice == keys.end() ? "" : shown(*twice);
}

} // namespace

result<json::value> parse_body(std::string_view text, int levels) {
  if (!is_utf8(text))
    return problem{problem_code::invalid_input, "the body isn't UTF-8", {}};
  if (has_too_many_values(text))
    return problem{problem_code::invalid_input,
        "the body has more than " + std::to_string(json_values_max)
            + " JSON values, the bound (json_values_max)",
        {}};
  auto parsed = json::parse(text, levels);
  if (!parsed)
    return problem{
        problem_code::invalid_input, "the body isn't JSON as it is taken here: " + parsed.error().detail, {}};
  if (auto twice = double_key(*parsed); !twice.empty())
    return problem{
        problem_code::invalid_input, "the body names the key " + twice + " twice in one object", {}};
  return parsed;
}

problem bad_body(std::vector<problem_at> faults) {
  std::string detail = faults.front().pointer.empty() ? "the body" : faults.front().pointer;
  detail += " " + faults.front().detail;
  if (faults.size() > 1)
    detail += "; " + std::to_string(faults.size() - 1) + " more places are wrong";
  if (faults.size() > faults_max)
    faults.resize(faults_max);
  return {problem_code::invalid_input, std::move(detail), std::move(faults)};
}

} // namespace troupe::gateway
