// Compact JSON straight into described structs, for what was written by our own `writer`: no tree in
// between, no key that is looked for.
#pragma once

#include "messages/json_mapping.hpp"

namespace troupe::json {

/// Reads what `put` writes: members in the order of their declaration, no white space. Every function is
/// false where the text is anything else; then nothing is known but that `reader` must read it, which
/// knows every lawful form and says what is wrong with the others. Where it is true, the value is the
/// one that `reader` gives. The text is valid UTF-8.
class scanner {
 public:
  explicit scanner(std::string_view text) : text_(text) {}
  bool at_end() const { return at_ == text_.size(); }

  bool get(std::string& out);
  bool get(bool& out);
  bool get(std::int64_t& out);
  bool get(std::uint64_t& out);
  bool get(double& out);
  bool get(raw& out);
  bool get(large_text& out);
  bool get(referenced_text& out);
  bool get(content& out);

  template <described_enum E> bool get(E& out) {
    std::string_view name;
    bool found = false;
    if (plain_string(name))
      mp11::mp_for_each<describe::describe_enumerators<E>>([&](auto enumerator) {
        static const std::string written = written_name<E>(enumerator.name);
        if (name == written) {
          out = enumerator.value;
          found = true;
        }
      });
    return found;
  }

  template <class T> bool get(std::vector<T>& out) {
    out.clear();
    if (!take("["))
      return false;
    if (take("]"))
      return true;
    do
      if (!get(out.emplace_back()))
        return false;
    while (take(","));
    return take("]");
  }

  template <class... T> bool get(std::variant<T...>& out) {
    std::string_view type;
    bool good = false;
    if (take(R"({"type":)") && plain_string(type))
      mp11::mp_for_each<mp11::mp_list<mp11::mp_identity<T>...>>([&]<class C>(mp11::mp_identity<C>) {
        if (variant_name<C>::value == type)
          good = get_members(out.template emplace<C>(), false);
      });
    return good;
  }

  template <described_struct T> bool get(T& out) { return take("{") && get_members(out, true); }

 private:
  template <class T> bool get_members(T& out, bool first) {
    bool good = true;
    mp11::mp_for_each<members_of<T>>([&](auto member) {
      if (!good)
        return;
      auto& field = out.*member.pointer;
      using field_type = std::remove_reference_t<decltype(field)>;
      if (!take_key(member.name, first)) {
        good = is_optional<field_type> || std::is_same_v<T, options>;
        return;
      }
      first = false;
      if constexpr (is_optional<field_type>) {
        constexpr bool null_is_a_value =
            std::is_same_v<field_type, std::optional<raw>> && !std::is_same_v<T, options>;
        if (null_is_a_value || !take("null"))
          good = get(field.emplace());
      } else {
        good = get(field);
      }
    });
    return good && take("}");
  }

  bool take(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected)
      return false;
    at_ += expected.size();
    return true;
  }
  /// `"NAME":`, with the comma before it unless it is the first.
  bool take_key(std::string_view name, bool first);
  /// A string in which nothing is escaped, as it stands.
  bool plain_string(std::string_view& out);
  bool escape(std::string& out);
  bool control(std::string& out);
  template <class N> bool number(N& out);
  bool pass_number();
  bool pass_string();
  bool pass_value(int depth);
  bool pass_items(char close, bool keyed, int depth);

  std::string_view text_;
  std::size_t at_ = 0;
};

} // namespace troupe::json
