// Values of keys: checked on the way in, written as TOML on the way out.
#include "config/keys.hpp"
#include "messages/text.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::config {

namespace {

using list = std::vector<std::string>;

constexpr std::size_t list_items_max = 1'000;
constexpr std::size_t text_bytes_max = 65'536;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text)
    out += (c == '"' || c == '\\') ? std::string{'\\', c} : std::string{c};
  return out + "\"";
}

std::string written(const std::string& text) { return quoted(text); }
std::string written(std::int64_t number) { return std::to_string(number); }
std::string written(bool flag) { return flag ? "true" : "false"; }
std::string written(const list& items) {
  std::string out;
  for (const auto& item : items)
    out += (out.empty() ? "" : ", ") + quoted(item);
  return "[" + out + "]";
}
std::string written(double number) {
  char digits[64];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

std::optional<std::string> bad_word(const key& one, const std::string& text) {
  const auto& words = one.words;
  if (words.empty() || std::find(words.begin(), words.end(), text) != words.end())
    return std::nullopt;
  if (const std::string near = nearest_name(text, words.data(), words.data() + words.size()); !near.empty())
    return quoted(text) + " isn't known; did you mean " + quoted(near) + "?";
  std::string all;
  for (const auto word : words)
    if (!word.empty())
      all += (all.empty() ? "" : ", ") + std::string(word);
  return quoted(text) + " is none of " + all;
}

std::optional<std::string> take(const key& one, std::string& to, const setting& given) {
  const auto* const text = std::get_if<std::string>(&given);
  if (!text)
    return "expected a string";
  if (text->size() > text_bytes_max)
    return "is longer than " + std::to_string(text_bytes_max) + " bytes";
  if (const auto wrong = bad_word(one, *text))
    return wrong;
  if (const auto broken = one.good ? one.good(*text) : std::nullopt)
    return quoted(*text) + " " + *broken;
  to = *text;
  return std::nullopt;
}

std::optional<std::string> take(const key& one, std::int64_t& to, const setting& given) {
  const auto* const number = std::get_if<std::int64_t>(&given);
  if (!number || *number < 0)
    return "expected a whole number, 0 or more";
  const bool bounded = one.most != std::numeric_limits<std::int64_t>::max();
  if (*number < one.least || *number > one.most)
    return "`" + std::to_string(*number) + "` isn't "
        + (bounded ? "between " + std::to_string(one.least) + " and " + std::to_string(one.most)
                   : "at least " + std::to_string(one.least));
  to = *number;
  return std::nullopt;
}

std::optional<std::string> take(const key&, double& to, const setting& given) {
  const auto* const whole = std::get_if<std::int64_t>(&given);
  const auto* const real = std::get_if<double>(&given);
  const double number = whole ? static_cast<double>(*whole) : real ? *real : -1;
  if (!(number >= 0 && number <= 1e15)) // not a number neither
    return "expected a number, 0 or more";
  to = number;
  return std::nullopt;
}

std::optional<std::string> take(const key&, bool& to, const setting& given) {
  const auto* const flag = std::get_if<bool>(&given);
  if (!flag)
    return "expected true or false";
  to = *flag;
  return std::nullopt;
}

std::optional<std::string> take(const key&, list& to, const setting& given) {
  const auto* const items = std::get_if<list>(&given);
  if (!items)
    return "expected a list of strings";
  if (items->size() > list_items_max)
    return "has more than " + std::to_string(list_items_max) + " items";
  to = *items;
  return std::nullopt;
}

template <class Number> std::optional<setting> parsed(const std::string& text) {
  Number out{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, out);
  if (error != std::errc() || stopped != end)
    return std::nullopt;
  return out;
}

} // namespace

std::optional<std::string> set(const key& one, const setting& given) {
  return std::visit([&](auto* to) { return take(one, *to, given); }, one.to);
}

std::optional<std::string> set_text(const key& one, const std::string& text) {
  std::optional<setting> meant;
  if (std::holds_alternative<std::int64_t*>(one.to))
    meant = parsed<std::int64_t>(text);
  else if (std::holds_alternative<double*>(one.to))
    meant = parsed<double>(text);
  else if (std::holds_alternative<bool*>(one.to) && (text == "true" || text == "false"))
    meant = text == "true";
  return set(one, meant.value_or(text));
}

std::string value_of(const key& one) {
  return std::visit([](const auto* to) { return written(*to); }, one.to);
}

} // namespace troupe::config
