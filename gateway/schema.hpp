// The JSON Schema of described structs, as `read_body` reads them.
#pragma once

#include "messages/json_mapping.hpp"

namespace troupe::gateway {

template <class T> inline constexpr bool is_list = false;
template <class T> inline constexpr bool is_list<std::vector<T>> = true;

template <class T> void put_schema(json::writer& out);

template <class T> void put_properties(json::writer& out, std::string_view type) {
  out.field("type", "object").key("properties").begin_object();
  if (!type.empty())
    out.key("type").begin_object().field("const", type).end_object();
  json::mp11::mp_for_each<json::members_of<T>>([&](auto member) {
    out.key(member.name);
    put_schema<std::remove_cvref_t<decltype(std::declval<T&>().*member.pointer)>>(out);
  });
  out.end_object().key("required").begin_array();
  if (!type.empty())
    out.string("type");
  json::mp11::mp_for_each<json::members_of<T>>([&](auto member) {
    using member_type = std::remove_cvref_t<decltype(std::declval<T&>().*member.pointer)>;
    if (!json::is_optional<member_type> && !std::is_same_v<T, options>)
      out.string(member.name);
  });
  out.end_array().key("additionalProperties").boolean(false);
}

template <class... T> void put_choices(json::writer& out, std::type_identity<std::variant<T...>>) {
  out.key("oneOf").begin_array();
  ((out.begin_object(), put_properties<T>(out, json::variant_name<T>::value), out.end_object()), ...);
  out.end_array();
}

/// The keywords of the schema of `T`, without the braces around them.
template <class T> void put_keywords(json::writer& out) {
  if constexpr (json::is_optional<T>) {
    put_keywords<typename T::value_type>(out);
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, large_text>) {
    out.field("type", "string");
  } else if constexpr (std::is_same_v<T, bool>) {
    out.field("type", "boolean");
  } else if constexpr (std::is_integral_v<T>) {
    out.field("type", "integer");
  } else if constexpr (std::is_floating_point_v<T>) {
    out.field("type", "number");
  } else if constexpr (std::is_same_v<T, json::raw>) {
    // any value
  } else if constexpr (json::described_enum<T>) {
    out.field("type", "string").key("enum").begin_array();
    json::mp11::mp_for_each<json::describe::describe_enumerators<T>>(
        [&](auto each) { out.string(json::written_name<T>(each.name)); });
    out.end_array();
  } else if constexpr (is_list<T>) {
    out.field("type", "array").key("items");
    put_schema<typename T::value_type>(out);
  } else if constexpr (std::is_same_v<T, content>) {
    out.key("anyOf").begin_array();
    put_schema<std::string>(out);
    put_schema<std::vector<content_part>>(out);
    out.end_array();
  } else if constexpr (json::described_struct<T>) {
    put_properties<T>(out, "");
  } else {
    put_choices(out, std::type_identity<T>());
  }
}

template <class T> void put_schema(json::writer& out) {
  out.begin_object();
  put_keywords<T>(out);
  out.end_object();
}

template <class T> std::string json_schema() {
  json::writer out;
  put_schema<T>(out);
  return out.take();
}

} // namespace troupe::gateway
