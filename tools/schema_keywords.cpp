// The keywords of a schema, one family a function.
#include "messages/text.hpp"
#include "tools/schema_reader.hpp"

#include <cmath>

namespace troupe::tools::schema_form {

namespace {

constexpr std::string_view type_names[] = {
    "null", "boolean", "integer", "number", "string", "array", "object"};

std::optional<unsigned> type_bits(const json::value& value) {
  for (std::size_t i = 0; i < std::size(type_names); ++i)
    if (value.is(json::kind::string) && value.as_string() == type_names[i])
      return (1U << i) | (type_names[i] == "number" ? integer_bit : 0U);
  return std::nullopt;
}

std::string bounded(std::string_view text, std::size_t bytes_max) {
  const std::string_view head = utf8_prefix(text, bytes_max);
  return std::string(head) + (head.size() < text.size() ? "…" : "");
}

} // namespace

result<void> reader::read_types(const json::value& value, node& out) {
  if (const json::value* type = value.find("type")) {
    unsigned bits = 0;
    const auto add = [&](const json::value& word) -> result<void> {
      if (const auto bit = type_bits(word)) {
        bits |= *bit;
        return {};
      }
      const std::string near = nearest_name(word.as_string(), std::begin(type_names), std::end(type_names));
      return fault(word,
          std::string(word.source()) + " is no type"
              + (near.empty() ? "" : "; did you mean \"" + near + "\"?"));
    };
    if (!type->is(json::kind::array)) {
      if (auto added = add(*type); added.has_error())
        return added;
    }
    for (const json::value& word : type->items())
      if (auto added = add(word); added.has_error())
        return added;
    if (type->is(json::kind::array) && type->items().empty())
      return fault(*type, "type names no type");
    out.types = bits;
  }
  const json::value* one = value.find("const");
  const json::value* many = value.find("enum");
  if (many != nullptr && (!many->is(json::kind::array) || many->items().empty()))
    return fault(*many, "enum is a list of at least one value");
  if (one == nullptr && many == nullptr)
    return {};
  out.is_const = one != nullptr || many->items().size() == 1;
  out.allowed.emplace();
  const auto allow = [&](const json::value& allowed) {
    out.allowed->insert(canonical(allowed));
    if (out.allowed_in_words.size() < 160)
      out.allowed_in_words += (out.allowed_in_words.empty() ? "" : ", ") + bounded(allowed.source(), 80);
    else if (!out.allowed_in_words.ends_with("…"))
      out.allowed_in_words += ", …";
  };
  if (one != nullptr && many != nullptr) {
    for (const json::value& candidate : many->items())
      if (canonical(candidate) == canonical(*one))
        allow(candidate);
  } else if (one != nullptr) {
    allow(*one);
  } else {
    for (const json::value& candidate : many->items())
      allow(candidate);
  }
  return {};
}

result<void> reader::read_number(const json::value& value, std::string_view key, std::optional<number>& out) {
  const json::value* bound = value.find(key);
  if (bound == nullptr)
    return {};
  if (!bound->is(json::kind::number))
    return fault(*bound, std::string(key) + " is a number");
  out = as_number(*bound);
  return {};
}

result<void> reader::read_numbers(const json::value& value, node& out) {
  for (const auto& [key, place] :
      {std::pair{"minimum", &out.minimum}, {"maximum", &out.maximum}, {"multipleOf", &out.multiple_of}})
    if (auto read = read_number(value, key, *place); read.has_error())
      return read;
  // up to draft-04 the exclusive bounds were true or false and spoke of the other keyword
  for (const auto& [key, inclusive, exclusive] : {std::tuple{"exclusiveMinimum", &out.minimum, &out.above},
           {"exclusiveMaximum", &out.maximum, &out.below}}) {
    const json::value* bound = value.find(key);
    if (bound != nullptr && bound->is(json::kind::boolean)) {
      if (bound->as_bool())
        inclusive->swap(*exclusive);
    } else if (auto read = read_number(value, key, *exclusive); read.has_error()) {
      return read;
    }
  }
  if (out.multiple_of && !(*out.multiple_of > 0))
    return fault(value, "multipleOf is more than 0");
  return {};
}

result<void> reader::read_count(
    const json::value& value, std::string_view key, std::optional<std::uint64_t>& out) {
  const json::value* bound = value.find(key);
  if (bound == nullptr)
    return {};
  if (!is_whole(*bound) || as_number(*bound) < 0)
    return fault(*bound, std::string(key) + " is a whole number from 0");
  const number most = static_cast<number>(std::numeric_limits<std::uint64_t>::max());
  out = static_cast<std::uint64_t>(std::min(as_number(*bound), most));
  return {};
}

result<void> reader::read_texts(const json::value& value, node& out) {
  for (const auto& [key, place] : {std::pair{"minLength", &out.length_min}, {"maxLength", &out.length_max}})
    if (auto read = read_count(value, key, *place); read.has_error())
      return read;
  if (const json::value* source = value.find("pattern")) {
    if (!source->is(json::kind::string))
      return fault(*source, "pattern is a string");
    auto made = pattern::compile(source->as_string());
    if (made.has_error())
      return fault(*source, made.error().detail);
    out.text_pattern = std::move(*made);
  }
  if (const json::value* format = value.find("format")) {
    const std::string& name = format->as_string();
    out.format = name == "date" ? text_format::date
        : name == "time"        ? text_format::time
        : name == "date-time"   ? text_format::date_time
                                : text_format::none;
  }
  return {};
}

result<void> reader::read_names(const json::value& value, std::vector<std::string>& out) {
  if (!value.is(json::kind::array))
    return fault(value, "a list of names was expected");
  for (const json::value& name : value.items()) {
    if (!name.is(json::kind::string))
      return fault(name, "a name is a string");
    out.push_back(name.as_string());
  }
  return {};
}

result<void> reader::read_dependency(const std::string& name, const json::value& value, node& out) {
  auto& made = out.dependencies.emplace_back(name, dependency{}).second;
  if (value.is(json::kind::array))
    return read_names(value, made.names);
  made.then = node_at(value);
  return {};
}

result<void> reader::read_dependencies(const json::value& value, node& out) {
  for (const std::string_view key : {"dependencies", "dependentRequired", "dependentSchemas"}) {
    const json::value* found = value.find(key);
    if (found == nullptr)
      continue;
    if (!found->is(json::kind::object))
      return fault(*found, std::string(key) + " is an object");
    for (const auto& [name, child] : found->members()) {
      if (key == "dependentRequired" && !child.is(json::kind::array))
        return fault(child, "dependentRequired names lists");
      if (key == "dependentSchemas" && child.is(json::kind::array))
        return fault(child, "dependentSchemas names schemas");
      if (auto read = read_dependency(name, child, out); read.has_error())
        return read;
    }
  }
  return {};
}

} // namespace troupe::tools::schema_form
