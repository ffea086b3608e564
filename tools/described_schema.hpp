// The JSON Schema of a described type: keys in the order of the members, everything that isn't
// optional required, nothing else allowed.
#pragma once

#include "tools/described_types.hpp"

#include <limits>

namespace troupe::tools::described {

/// What is said of the members of the outermost struct, by name.
using remarks = std::map<std::string, std::string, std::less<>>;

template <class T> void put_schema(json::writer& out, std::string_view remark = {});

template <class T> std::string remark_with_unit(std::string_view remark) {
  if constexpr (is_optional<T>)
    return remark_with_unit<typename T::value_type>(remark);
  else if constexpr (is_duration<T>)
    return std::string(remark) + (remark.empty() ? "in " : ", in ") + unit_name<typename T::period>();
  else
    return std::string(remark);
}

template <class T> void put_number_range(json::writer& out) {
  if constexpr (std::is_unsigned_v<T>)
    out.key("minimum").number(std::uint64_t{0});
  else if constexpr (sizeof(T) < 8)
    out.key("minimum").number(static_cast<std::int64_t>(std::numeric_limits<T>::min()));
  if constexpr (sizeof(T) < 8)
    out.key("maximum").number(static_cast<std::int64_t>(std::numeric_limits<T>::max()));
}

template <class T> void put_struct_schema(json::writer& out, const remarks& notes) {
  out.field("type", "object").key("properties").begin_object();
  mp11::mp_for_each<members_of<T>>([&](auto member) {
    const auto name = written_name(member.name);
    const auto remark = notes.find(name);
    out.key(name);
    put_schema<member_of<T, decltype(member)>>(
        out, remark == notes.end() ? std::string_view() : remark->second);
  });
  out.end_object().key("required").begin_array();
  mp11::mp_for_each<members_of<T>>([&](auto member) {
    if constexpr (!is_optional<member_of<T, decltype(member)>>)
      out.string(written_name(member.name));
  });
  out.end_array().key("additionalProperties").boolean(false);
}

/// The keywords of the schema of `T`, without the braces around them.
template <class T> void put_keywords(json::writer& out) {
  if constexpr (std::is_same_v<T, bool>) {
    out.field("type", "boolean");
  } else if constexpr (std::is_same_v<T, std::string>) {
    out.field("type", "string");
  } else if constexpr (std::is_same_v<T, std::monostate>) {
    out.field("type", "null");
  } else if constexpr (std::is_same_v<T, json::raw>) {
    // any value
  } else if constexpr (described_enum<T>) {
    out.field("type", "string").key("enum").begin_array();
    mp11::mp_for_each<boost::describe::describe_enumerators<T>>(
        [&](auto each) { out.string(written_name(each.name)); });
    out.end_array();
  } else if constexpr (whole_number<T>) {
    out.field("type", "integer");
    put_number_range<T>(out);
  } else if constexpr (std::is_floating_point_v<T>) {
    out.field("type", "number");
  } else if constexpr (is_duration<T>) {
    out.field("type", std::is_integral_v<typename T::rep> ? "integer" : "number");
  } else if constexpr (is_optional<T>) {
    put_keywords<typename T::value_type>(out);
  } else if constexpr (is_vector<T> || is_array<T>) {
    out.field("type", "array").key("items");
    put_schema<typename T::value_type>(out);
    if constexpr (is_array<T>)
      out.key("minItems")
          .number(std::uint64_t{std::tuple_size_v<T>})
          .key("maxItems")
          .number(std::uint64_t{std::tuple_size_v<T>});
  } else if constexpr (is_map<T>) {
    out.field("type", "object").key("additionalProperties");
    put_schema<typename T::mapped_type>(out);
  } else if constexpr (is_variant<T>) {
    out.key("anyOf").begin_array();
    mp11::mp_for_each<mp11::mp_transform<std::type_identity, T>>(
        [&]<class V>(std::type_identity<V>) { put_schema<V>(out); });
    out.end_array();
  } else {
    put_struct_schema<T>(out, {});
  }
}

template <class T> void put_schema(json::writer& out, std::string_view remark) {
  out.begin_object();
  if (const std::string text = remark_with_unit<T>(remark); !text.empty())
    out.field("description", text);
  put_keywords<T>(out);
  out.end_object();
}

template <class T> json::raw schema_of(const remarks& notes = {}) {
  TROUPE_TOOLS_DESCRIBABLE(T);
  json::writer out;
  if constexpr (described_struct<T>) {
    out.begin_object();
    put_struct_schema<T>(out, notes);
    out.end_object();
  } else {
    put_schema<T>(out);
  }
  return {out.take()};
}

} // namespace troupe::tools::described
