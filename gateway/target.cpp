// Percent-decoding happens exactly once, after the cuts: an encoded slash never becomes a border.
#include "gateway/target.hpp"

#include "gateway/request.hpp"
#include "messages/text.hpp"

#include <algorithm>
#include <optional>

namespace troupe::gateway {

namespace {

constexpr std::size_t query_values_max = 64;

problem bad(std::string_view what, std::string_view rule) {
  return {problem_code::invalid_input, "the URL holds " + shown(what) + ", which " + std::string(rule), {}};
}

problem nothing_here(std::string_view path) {
  return {problem_code::not_found,
      "there is nothing at " + shown(path) + "; /openapi.json lists what there is", {}};
}

std::optional<std::string> decoded_bytes(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (text.size() - i < 3)
      return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0)
      return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

result<std::string> decoded(std::string_view text, bool plus_is_space) {
  auto out = decoded_bytes(text, plus_is_space);
  if (!out)
    return bad(text, "has a % without two hexadecimal digits");
  if (!is_utf8(*out))
    return bad(text, "isn't UTF-8");
  if (std::any_of(out->begin(), out->end(),
          [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }))
    return bad(text, "has a control character");
  return std::move(*out);
}

/// A proxy's form of a target names the server too: `http://host/path`.
std::string_view without_origin(std::string_view target) {
  const auto scheme = target.find("://");
  if (target.starts_with('/') || scheme == std::string_view::npos || scheme > 5)
    return target;
  const auto path = target.find_first_of("/?", scheme + 3);
  return path == std::string_view::npos ? "/" : target.substr(path);
}

} // namespace

result<target_parts> split_target(std::string_view target) {
  target = without_origin(target);
  target_parts out;
  const auto mark = target.find('?');
  std::string_view path = target.substr(0, mark);
  if (mark != std::string_view::npos)
    out.query = target.substr(mark + 1);
  if (!path.starts_with('/') || target.find('#') != std::string_view::npos)
    return bad(target, "is no path from the root");
  const std::string_view whole = path;
  for (bool more = true; more;) {
    path.remove_prefix(1);
    const auto end = path.find('/');
    more = end != std::string_view::npos;
    auto part = decoded(path.substr(0, end), false);
    if (!part)
      return part.error();
    const bool names_nothing = (part->empty() && more) || *part == "." || *part == ".."
        || part->find_first_of("/\\") != std::string::npos;
    if (names_nothing)
      return nothing_here(whole);
    out.path.push_back(std::move(*part));
    path.remove_prefix(more ? end : path.size());
  }
  return out;
}

result<query_values> split_query(std::string_view query) {
  query_values out;
  while (!query.empty()) {
    const std::string_view one = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), one.size() + 1));
    if (one.empty())
      continue;
    if (out.size() == query_values_max)
      return problem{problem_code::invalid_input, "the query has more than 64 parameters", {}};
    const auto equals = one.find('=');
    auto name = decoded(one.substr(0, equals), true);
    auto value = decoded(equals == std::string_view::npos ? "" : one.substr(equals + 1), true);
    if (!name || !value)
      return name ? value.error() : name.error();
    out.emplace_back(std::move(*name), std::move(*value));
  }
  return out;
}

} // namespace troupe::gateway
