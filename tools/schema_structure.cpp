// The keywords of a schema that hold further schemas: items, properties and choices.
#include "tools/schema_reader.hpp"

namespace troupe::tools::schema_form {

void reader::read_one(const json::value& value, std::string_view key, const node*& out) {
  if (const json::value* child = value.find(key))
    out = node_at(*child);
}

result<void> reader::read_list(
    const json::value& value, std::string_view key, std::vector<const node*>& out, bool may_be_empty) {
  const json::value* list = value.find(key);
  if (list == nullptr)
    return {};
  if (!list->is(json::kind::array) || (list->items().empty() && !may_be_empty))
    return fault(*list, std::string(key) + " is a list of schemas");
  for (const json::value& child : list->items())
    out.push_back(node_at(child));
  return {};
}

result<void> reader::read_items(const json::value& value, node& out) {
  for (const auto& [key, place] : {std::pair{"minItems", &out.items_min}, {"maxItems", &out.items_max}})
    if (auto read = read_count(value, key, *place); read.has_error())
      return read;
  const json::value* items = value.find("items");
  if (value.find("prefixItems") != nullptr) { // 2020-12: a list first, `items` for the rest
    if (items != nullptr && items->is(json::kind::array))
      return fault(*items, "items beside prefixItems is one schema");
    if (auto read = read_list(value, "prefixItems", out.first_items, true); read.has_error())
      return read;
    read_one(value, "items", out.items);
  } else if (items != nullptr && items->is(json::kind::array)) {
    if (auto read = read_list(value, "items", out.first_items, true); read.has_error())
      return read;
    read_one(value, "additionalItems", out.items);
  } else {
    read_one(value, "items", out.items);
  }
  read_one(value, "contains", out.contains);
  if (const json::value* unique = value.find("uniqueItems"))
    out.unique = unique->as_bool();
  return {};
}

result<void> reader::read_properties(const json::value& value, node& out) {
  for (const auto& [key, place] :
      {std::pair{"minProperties", &out.properties_min}, {"maxProperties", &out.properties_max}})
    if (auto read = read_count(value, key, *place); read.has_error())
      return read;
  if (const json::value* properties = value.find("properties")) {
    if (!properties->is(json::kind::object))
      return fault(*properties, "properties is an object");
    for (const auto& [name, child] : properties->members())
      out.properties.emplace_back(name, node_at(child));
  }
  if (const json::value* patterns = value.find("patternProperties")) {
    if (!patterns->is(json::kind::object))
      return fault(*patterns, "patternProperties is an object");
    for (const auto& [source, child] : patterns->members()) {
      auto made = pattern::compile(source);
      if (made.has_error())
        return fault(child, made.error().detail);
      out.pattern_properties.emplace_back(std::move(*made), node_at(child));
    }
  }
  read_one(value, "additionalProperties", out.other_properties);
  read_one(value, "propertyNames", out.property_names);
  if (const json::value* required = value.find("required")) {
    if (required->is(json::kind::boolean))
      return fault(*required, "required is a list of names");
    return read_names(*required, out.required);
  }
  return {};
}

result<void> reader::read_choices(const json::value& value, node& out) {
  for (const auto& [key, place] :
      {std::pair{"allOf", &out.all_of}, {"anyOf", &out.any_of}, {"oneOf", &out.one_of}})
    if (auto read = read_list(value, key, *place, false); read.has_error())
      return read;
  read_one(value, "not", out.none_of);
  if (value.find("if") == nullptr)
    return {};
  read_one(value, "if", out.if_);
  read_one(value, "then", out.then_);
  read_one(value, "else", out.else_);
  return {};
}

} // namespace troupe::tools::schema_form
