// Described structs to JSON, by their declaration: the order of the members is the order of
// the keys, an absent optional is left out, a variant of blocks says its `type` first.
#pragma once

#include "messages/block.hpp"
#include "messages/events/inference_events.hpp"
#include "messages/options.hpp"

#include <boost/describe.hpp>
#include <boost/mp11.hpp>

namespace troupe::json {

namespace describe = boost::describe;
namespace mp11 = boost::mp11;

template <class T> using members_of = describe::describe_members<T, describe::mod_public>;

// -- names ---------------------------------------------------------------------------------------

/// An enumerator as it is written: without the underscore that keeps it apart from a C++ keyword.
template <class E> std::string written_name(const char* enumerator) {
  std::string name(enumerator);
  if (name.back() == '_')
    name.pop_back();
  if constexpr (std::is_same_v<E, queue_mode>)
    for (char& c : name)
      c = c == '_' ? '-' : c;
  return name;
}

template <class T> struct variant_name;
template <> struct variant_name<text_part> { static constexpr std::string_view value = "text"; };
template <> struct variant_name<image_part> { static constexpr std::string_view value = "image"; };
template <> struct variant_name<document_part> { static constexpr std::string_view value = "document"; };
template <> struct variant_name<text_block> { static constexpr std::string_view value = "text"; };
template <> struct variant_name<thinking_block> { static constexpr std::string_view value = "thinking"; };
template <> struct variant_name<tool_call_block> { static constexpr std::string_view value = "tool_call"; };
template <> struct variant_name<server_tool_call_block> {
  static constexpr std::string_view value = "server_tool_call";
};
template <> struct variant_name<server_tool_result_block> {
  static constexpr std::string_view value = "server_tool_result";
};

template <class T>
concept described_enum = describe::has_describe_enumerators<T>::value;
template <class T>
concept described_struct = describe::has_describe_members<T>::value;
template <class T> inline constexpr bool is_optional = false;
template <class T> inline constexpr bool is_optional<std::optional<T>> = true;

// -- writing -------------------------------------------------------------------------------------

inline void put(writer& out, const std::string& v) { out.string(v); }
inline void put(writer& out, std::int64_t v) { out.number(v); }
inline void put(writer& out, std::uint64_t v) { out.number(v); }
inline void put(writer& out, double v) { out.number(v); }
inline void put(writer& out, bool v) { out.boolean(v); }
inline void put(writer& out, const raw& v) { out.raw_text(v.text); }

template <described_enum E> void put(writer& out, E v) {
  out.string(written_name<E>(describe::enum_to_string(v, "")));
}

template <class T> void put(writer& out, const std::vector<T>& list);
template <class... T> void put(writer& out, const std::variant<T...>& choice);
template <described_struct T> void put(writer& out, const T& v);

inline void put(writer& out, const large_text& v) {
  if (v.ref)
    put(out, *v.ref);
  else
    out.string(v.text);
}
inline void put(writer& out, const referenced_text& v) { put(out, v.content); }
inline void put(writer& out, const content& v) {
  std::visit([&](const auto& held) { put(out, held); }, v.value);
}

template <class T> void put_members(writer& out, const T& v) {
  mp11::mp_for_each<members_of<T>>([&](auto member) {
    const auto& field = v.*member.pointer;
    if constexpr (is_optional<std::remove_cvref_t<decltype(field)>>) {
      // unknown counts are told apart from forgotten ones
      const bool shows_null = std::is_same_v<T, usage> && std::string_view(member.name) != "prices";
      if (field)
        put(out.key(member.name), *field);
      else if (shows_null)
        out.key(member.name).null();
    } else {
      put(out.key(member.name), field);
    }
  });
}

template <described_struct T> void put(writer& out, const T& v) {
  out.begin_object();
  put_members(out, v);
  out.end_object();
}

template <class T> void put(writer& out, const std::vector<T>& list) {
  out.begin_array();
  for (const auto& item : list)
    put(out, item);
  out.end_array();
}

template <class... T> void put(writer& out, const std::variant<T...>& choice) {
  std::visit(
      [&]<class C>(const C& held) {
        out.begin_object().field("type", variant_name<C>::value);
        put_members(out, held);
        out.end_object();
      },
      choice);
}

template <class T> std::string to_text(const T& v) {
  writer out;
  put(out, v);
  return out.take();
}

} // namespace troupe::json
