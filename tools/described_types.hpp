// Which C++ types can be described as JSON, and what each is.
#pragma once

#include "messages/json.hpp"

#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <variant>
#include <vector>

#include <boost/describe.hpp>
#include <boost/mp11.hpp>

namespace troupe::tools::described {

namespace mp11 = boost::mp11;

template <class T> inline constexpr bool is_optional = false;
template <class T> inline constexpr bool is_optional<std::optional<T>> = true;
template <class T> inline constexpr bool is_vector = false;
template <class T> inline constexpr bool is_vector<std::vector<T>> = true;
template <class T> inline constexpr bool is_array = false;
template <class T, std::size_t N> inline constexpr bool is_array<std::array<T, N>> = true;
template <class T> inline constexpr bool is_map = false;
template <class T> inline constexpr bool is_map<std::map<std::string, T>> = true;
template <class T> inline constexpr bool is_map<std::map<std::string, T, std::less<>>> = true;
template <class T> inline constexpr bool is_map<std::unordered_map<std::string, T>> = true;
template <class T> inline constexpr bool is_variant = false;
template <class... T> inline constexpr bool is_variant<std::variant<T...>> = true;
template <class T> inline constexpr bool is_duration = false;
template <class Rep, class Period>
inline constexpr bool is_duration<std::chrono::duration<Rep, Period>> = true;

template <class T>
concept described_struct =
    std::is_class_v<T> && boost::describe::has_describe_members<T>::value && !std::is_union_v<T>;
template <class T>
concept described_enum = boost::describe::has_describe_enumerators<T>::value;
template <class T, class... Others> inline constexpr bool is_one_of = (std::is_same_v<T, Others> || ...);
template <class T>
inline constexpr bool is_character = is_one_of<T, char, wchar_t, char8_t, char16_t, char32_t>;
template <class T>
concept whole_number = std::is_integral_v<T> && !std::is_same_v<T, bool> && !is_character<T>;
template <class T>
inline constexpr bool is_plain = is_one_of<T, bool, std::string, json::raw, std::monostate>;

template <class T>
using members_of =
    boost::describe::describe_members<T, boost::describe::mod_public | boost::describe::mod_inherited>;

/// The type of the member that a descriptor of `T` names.
template <class T, class D> using member_of = std::remove_cvref_t<decltype(std::declval<T&>().*D::pointer)>;

/// A C++ name as JSON has it: without the underscore that keeps it apart from a keyword.
constexpr std::string_view written_name(std::string_view name) {
  return name.size() > 1 && name.back() == '_' ? name.substr(0, name.size() - 1) : name;
}

template <class Period> constexpr const char* unit_name() {
  if constexpr (std::is_same_v<Period, std::nano>)
    return "nanoseconds";
  else if constexpr (std::is_same_v<Period, std::micro>)
    return "microseconds";
  else if constexpr (std::is_same_v<Period, std::milli>)
    return "milliseconds";
  else if constexpr (std::is_same_v<Period, std::ratio<1>>)
    return "seconds";
  else if constexpr (std::is_same_v<Period, std::ratio<60>>)
    return "minutes";
  else if constexpr (std::is_same_v<Period, std::ratio<3600>>)
    return "hours";
  else if constexpr (std::is_same_v<Period, std::ratio<86400>>)
    return "days";
  else
    return nullptr;
}

/// Every type, with those that it is nested in, so that a type inside itself is seen.
template <class T, class... Outer> constexpr bool describable();

template <class T, class... Outer> struct all_members {
  template <class... D> static constexpr bool check(mp11::mp_list<D...>) {
    return (describable<member_of<T, D>, T, Outer...>() && ...);
  }
};

template <class T, class... Outer> constexpr bool describable() {
  if constexpr (is_one_of<T, Outer...>)
    return false;
  else if constexpr (is_plain<T> || whole_number<T> || std::is_floating_point_v<T> || described_enum<T>)
    return true;
  else if constexpr (is_optional<T> || is_vector<T> || is_array<T>)
    return describable<typename T::value_type, Outer...>();
  else if constexpr (is_map<T>)
    return describable<typename T::mapped_type, Outer...>();
  else if constexpr (is_duration<T>)
    return unit_name<typename T::period>() != nullptr;
  else if constexpr (is_variant<T>)
    return []<class... V>(const std::variant<V...>*) { return (describable<V, Outer...>() && ...); }(
               static_cast<const T*>(nullptr));
  else if constexpr (described_struct<T>)
    return all_members<T, Outer...>::check(mp11::mp_rename<members_of<T>, mp11::mp_list>());
  else
    return false;
}

} // namespace troupe::tools::described

/// Refuses at compile time, with a sentence, a type that has no JSON form.
#define TROUPE_TOOLS_DESCRIBABLE(T)                                                                          \
  static_assert(::troupe::tools::described::describable<T>(),                                                \
      "this type (or a member of it) can't be described as JSON: use bool, integers, floating point, "       \
      "std::string, described enums and "                                                                    \
      "structs, std::optional, std::vector, std::array, std::map with string keys, std::variant, "           \
      "std::chrono durations or json::raw; a "                                                               \
      "type that contains itself needs its schema given by hand")
