// Values of described types from JSON and to JSON.
#pragma once

#include "tools/described_types.hpp"

#include <cmath>
#include <limits>

namespace troupe::tools::described {

/// Where a reading stands, and what was wrong there: `PATH: WHAT WAS EXPECTED`.
struct reading {
  std::string path;
  std::string fault;

  bool expected(std::string_view what) {
    if (fault.empty())
      fault = (path.empty() ? "/" : path) + ": expected " + std::string(what);
    return false;
  }
  template <class Read> bool inside(std::string_view token, Read read) {
    const std::size_t length = path.size();
    path += '/';
    for (const char c : token)
      c == '~' ? path += "~0" : c == '/' ? path += "~1" : path += c;
    const bool good = read();
    path.resize(length);
    return good;
  }
};

template <class T> bool read(const json::value& from, T& out, reading& at);

template <class T> bool read_whole(const json::value& from, T& out, reading& at) {
  if (!from.is(json::kind::number))
    return at.expected("integer");
  const auto low = from.as_int64();
  const auto high = from.as_uint64();
  const auto near = from.as_double(); // `2.0` is the integer 2
  if (low && std::in_range<T>(*low))
    out = static_cast<T>(*low);
  else if (high && std::in_range<T>(*high))
    out = static_cast<T>(*high);
  else if (!low && !high && near && std::trunc(*near) == *near && std::fabs(*near) < 9e15
      && std::in_range<T>(static_cast<std::int64_t>(*near)))
    out = static_cast<T>(static_cast<std::int64_t>(*near));
  else
    return at.expected("an integer from " + std::to_string(std::numeric_limits<T>::min()) + " to "
        + std::to_string(std::numeric_limits<T>::max()));
  return true;
}

template <class E> bool read_enum(const json::value& from, E& out, reading& at) {
  std::string names;
  bool found = false;
  mp11::mp_for_each<boost::describe::describe_enumerators<E>>([&](auto each) {
    const auto name = written_name(each.name);
    names += (names.empty() ? "" : ", ") + json::quote(name);
    if (from.is(json::kind::string) && from.as_string() == name) {
      out = each.value;
      found = true;
    }
  });
  return found || at.expected("one of " + names);
}

template <class T> bool read_struct(const json::value& from, T& out, reading& at) {
  if (!from.is(json::kind::object))
    return at.expected("object");
  bool good = true;
  mp11::mp_for_each<members_of<T>>([&](auto member) {
    const auto name = written_name(member.name);
    const json::value* found = from.find(name);
    good = good && at.inside(name, [&] {
      if (found != nullptr)
        return read(*found, out.*member.pointer, at);
      return is_optional<member_of<T, decltype(member)>> || at.expected("a value (it is required)");
    });
  });
  return good;
}

template <class T> bool read_variant(const json::value& from, T& out, reading& at) {
  reading deepest = at; // the alternative that came furthest tells what was wrong
  bool found = false;
  mp11::mp_for_each<mp11::mp_transform<std::type_identity, T>>([&]<class V>(std::type_identity<V>) {
    if (found)
      return;
    reading attempt{at.path, {}};
    V value{};
    found = read(from, value, attempt);
    if (found)
      out = std::move(value);
    else if (deepest.fault.empty() || attempt.fault.find(':') > deepest.fault.find(':'))
      deepest.fault = attempt.fault;
  });
  if (!found && at.fault.empty())
    at.fault = deepest.fault;
  return found;
}

template <class T> bool read_list(const json::value& from, T& out, reading& at) {
  if (!from.is(json::kind::array))
    return at.expected("array");
  if constexpr (is_array<T>) {
    if (from.items().size() != out.size())
      return at.expected(std::to_string(out.size()) + " items");
  } else {
    out.resize(from.items().size());
  }
  for (std::size_t i = 0; i < from.items().size(); ++i) {
    typename T::value_type item{};
    if (!at.inside(std::to_string(i), [&] { return read(from.items()[i], item, at); }))
      return false;
    out[i] = std::move(item);
  }
  return true;
}

template <class T> bool read(const json::value& from, T& out, reading& at) {
  if constexpr (std::is_same_v<T, json::raw>) {
    out.text = std::string(from.source());
  } else if constexpr (std::is_same_v<T, bool>) {
    out = from.as_bool();
    return from.is(json::kind::boolean) || at.expected("boolean");
  } else if constexpr (std::is_same_v<T, std::string>) {
    out = from.as_string();
    return from.is(json::kind::string) || at.expected("string");
  } else if constexpr (std::is_same_v<T, std::monostate>) {
    return from.is(json::kind::null) || at.expected("null");
  } else if constexpr (described_enum<T>) {
    return read_enum(from, out, at);
  } else if constexpr (whole_number<T>) {
    return read_whole(from, out, at);
  } else if constexpr (std::is_floating_point_v<T>) {
    const auto number = from.is(json::kind::number) ? from.as_double() : std::nullopt;
    out = static_cast<T>(number.value_or(0));
    return number.has_value() || at.expected("number");
  } else if constexpr (is_duration<T>) {
    typename T::rep count{};
    const bool good = read(from, count, at);
    out = T(count);
    return good;
  } else if constexpr (is_optional<T>) {
    if (from.is(json::kind::null) && !std::is_same_v<typename T::value_type, json::raw>)
      return out.reset(), true;
    return read(from, out.emplace(), at);
  } else if constexpr (is_vector<T> || is_array<T>) {
    return read_list(from, out, at);
  } else if constexpr (is_map<T>) {
    if (!from.is(json::kind::object))
      return at.expected("object");
    for (const auto& [key, child] : from.members())
      if (!at.inside(key, [&, &k = key, &c = child] { return read(c, out[k], at); }))
        return false;
  } else if constexpr (is_variant<T>) {
    return read_variant(from, out, at);
  } else {
    return read_struct(from, out, at);
  }
  return true;
}

template <class T> void write(json::writer& out, const T& value) {
  if constexpr (std::is_same_v<T, json::raw>) {
    out.raw_text(value.text);
  } else if constexpr (std::is_same_v<T, bool>) {
    out.boolean(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    out.string(value);
  } else if constexpr (std::is_same_v<T, std::monostate>) {
    out.null();
  } else if constexpr (described_enum<T>) {
    std::string_view name = "unknown";
    mp11::mp_for_each<boost::describe::describe_enumerators<T>>([&](auto each) {
      if (each.value == value)
        name = written_name(each.name);
    });
    out.string(name);
  } else if constexpr (whole_number<T>) {
    if constexpr (std::is_signed_v<T>)
      out.number(static_cast<std::int64_t>(value));
    else
      out.number(static_cast<std::uint64_t>(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    out.number(static_cast<double>(value));
  } else if constexpr (is_duration<T>) {
    write(out, value.count());
  } else if constexpr (is_optional<T>) {
    value ? write(out, *value) : void(out.null());
  } else if constexpr (is_vector<T> || is_array<T>) {
    out.begin_array();
    for (const typename T::value_type& item : value)
      write(out, item);
    out.end_array();
  } else if constexpr (is_map<T>) {
    out.begin_object();
    for (const auto& [key, child] :
        std::map<std::string, typename T::mapped_type>(value.begin(), value.end()))
      write(out.key(key), child);
    out.end_object();
  } else if constexpr (is_variant<T>) {
    std::visit([&](const auto& one) { write(out, one); }, value);
  } else {
    out.begin_object();
    mp11::mp_for_each<members_of<T>>([&](auto member) {
      const auto& child = value.*member.pointer;
      if constexpr (is_optional<member_of<T, decltype(member)>>)
        if (!child)
          return;
      write(out.key(written_name(member.name)), child);
    });
    out.end_object();
  }
}

} // namespace troupe::tools::described
