// Checking what a parameter was given.
#include "gateway/parameters.hpp"

#include "gateway/request.hpp"
#include "messages/ids.hpp"
#include "messages/json.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::gateway {

namespace {

constexpr std::int64_t id_bytes_max = 128;
constexpr std::string_view digest_prefix = "sha256:";
constexpr std::size_t digest_bytes = 64;

bool is_digest(std::string_view text) {
  return text.starts_with(digest_prefix) && text.size() == digest_prefix.size() + digest_bytes
      && text.find_first_not_of("0123456789abcdef", digest_prefix.size()) == std::string_view::npos;
}

bool is_integer(std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= least && number <= most;
}

std::string joined(const std::vector<std::string>& choices) {
  std::string out;
  for (const std::string& one : choices)
    out += (out.empty() ? "" : ", ") + one;
  return out;
}

/// The rule that `value` breaks; empty if it keeps to it.
std::string broken_rule(const parameter& rule, std::string_view value) {
  switch (rule.kind) {
  case parameter_kind::text:
    return value.size() <= static_cast<std::size_t>(rule.most)
        ? ""
        : "has at most " + std::to_string(rule.most) + " bytes";
  case parameter_kind::integer:
    return is_integer(value, rule.least, rule.most)
        ? ""
        : "is a whole number from " + std::to_string(rule.least) + " to " + std::to_string(rule.most);
  case parameter_kind::flag:
    return value == "true" || value == "false" || value == "1" || value == "0" ? "" : "is true or false";
  case parameter_kind::choice:
    return std::find(rule.choices.begin(), rule.choices.end(), value) != rule.choices.end()
        ? ""
        : "is one of " + joined(rule.choices);
  case parameter_kind::id:
    return is_id(value) ? ""
                        : "has 1 to 128 letters, digits, \".\", \"_\" and \"-\", the first a letter or digit";
  case parameter_kind::digest:
    return is_digest(value) ? "" : "is sha256: and 64 hexadecimal digits in lower case";
  }
  return {};
}

} // namespace

parameter text_parameter(std::string name, std::string description, std::int64_t bytes_max) {
  return {std::move(name), std::move(description), parameter_kind::text, 0, bytes_max, {}, {}};
}

parameter id_parameter(std::string name, std::string description) {
  return {std::move(name), std::move(description), parameter_kind::id, 0, id_bytes_max, {}, {}};
}

parameter digest_parameter(std::string name, std::string description) {
  return {std::move(name), std::move(description), parameter_kind::digest, 0, 0, {}, {}};
}

parameter integer_parameter(std::string name, std::string description, std::int64_t least, std::int64_t most,
    std::optional<std::int64_t> otherwise) {
  return {std::move(name), std::move(description), parameter_kind::integer, least, most, {},
      otherwise ? std::optional(std::to_string(*otherwise)) : std::nullopt};
}

parameter flag_parameter(std::string name, std::string description, std::optional<bool> otherwise) {
  return {std::move(name), std::move(description), parameter_kind::flag, 0, 0, {},
      otherwise ? std::optional<std::string>(*otherwise ? "true" : "false") : std::nullopt};
}

parameter choice_parameter(std::string name, std::string description, std::vector<std::string> choices,
    std::optional<std::string> otherwise) {
  return {std::move(name), std::move(description), parameter_kind::choice, 0, 0, std::move(choices),
      std::move(otherwise)};
}

result<void> check(const parameter& rule, std::string_view value) {
  const std::string broken = broken_rule(rule, value);
  if (broken.empty())
    return {};
  return problem{
      problem_code::invalid_input, "`" + rule.name + "` " + broken + "; it was " + shown(value), {}};
}

std::string schema_of(const parameter& rule) {
  json::writer out;
  out.begin_object();
  switch (rule.kind) {
  case parameter_kind::text:
    out.field("type", "string");
    break;
  case parameter_kind::integer:
    out.field("type", "integer").key("minimum").number(rule.least).key("maximum").number(rule.most);
    break;
  case parameter_kind::flag:
    out.field("type", "boolean");
    break;
  case parameter_kind::choice:
    out.field("type", "string").key("enum").begin_array();
    for (const std::string& one : rule.choices)
      out.string(one);
    out.end_array();
    break;
  case parameter_kind::id:
    out.field("type", "string").field("pattern", "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$");
    break;
  case parameter_kind::digest:
    out.field("type", "string").field("pattern", "^sha256:[0-9a-f]{64}$");
    break;
  }
  if (rule.otherwise) {
    const bool is_text = rule.kind != parameter_kind::integer && rule.kind != parameter_kind::flag;
    out.key("default").raw_text(is_text ? json::quote(*rule.otherwise) : *rule.otherwise);
  }
  out.end_object();
  return out.take();
}

} // namespace troupe::gateway
