// Values as JSON Schema compares them: numbers by value, objects without order, and their types.
#include "tools/schema_form.hpp"

#include <cmath>
#include <cstdio>

namespace troupe::tools::schema_form {

const node* node::property(std::string_view name) const {
  for (const auto& [key, child] : properties)
    if (key == name)
      return child;
  return nullptr;
}

number as_number(const json::value& value) {
  if (const auto exact = value.as_int64())
    return static_cast<number>(*exact);
  if (const auto exact = value.as_uint64())
    return static_cast<number>(*exact);
  if (const auto near = value.as_double())
    return static_cast<number>(*near);
  const number infinite = std::numeric_limits<number>::infinity();
  return value.source().substr(0, 1) == "-" ? -infinite : infinite;
}

bool is_whole(const json::value& value) {
  if (!value.is(json::kind::number))
    return false;
  const number n = as_number(value);
  return std::isfinite(n) ? std::trunc(n) == n
                          : value.source().find_first_of(".eE") == std::string_view::npos;
}

namespace {

void append_canonical(std::string& out, const json::value& value) {
  switch (value.type()) {
  case json::kind::null:
    out += "n";
    break;
  case json::kind::boolean:
    out += value.as_bool() ? "t" : "f";
    break;
  case json::kind::number: {
    const number n = as_number(value);
    char text[64];
    std::snprintf(text, sizeof text, "%La", n == 0 ? number{0} : n);
    out += std::isfinite(n) ? std::string(text) : std::string(value.source());
    break;
  }
  case json::kind::string:
    json::append_string(out, value.as_string());
    break;
  case json::kind::array:
    out += '[';
    for (const auto& item : value.items()) {
      append_canonical(out, item);
      out += ',';
    }
    out += ']';
    break;
  case json::kind::object: {
    std::map<std::string_view, const json::value*> sorted;
    for (const auto& [key, child] : value.members())
      sorted[key] = &child;
    out += '{';
    for (const auto& [key, child] : sorted) {
      json::append_string(out, key);
      append_canonical(out, *child);
      out += ',';
    }
    out += '}';
  }
  }
}

} // namespace

std::string canonical(const json::value& value) {
  std::string out;
  append_canonical(out, value);
  return out;
}

std::string in_words(unsigned types) {
  static constexpr std::pair<unsigned, const char*> names[] = {{string_bit, "string"},
      {integer_bit, "integer"}, {number_bit, "number"}, {boolean_bit, "boolean"}, {object_bit, "object"},
      {array_bit, "array"}, {null_bit, "null"}};
  std::string out;
  for (const auto& [bit, name] : names)
    if ((types & bit) != 0 && !(bit == integer_bit && (types & number_bit) != 0))
      out += (out.empty() ? "" : " or ") + std::string(name);
  return out.empty() ? "nothing" : out;
}

} // namespace troupe::tools::schema_form
