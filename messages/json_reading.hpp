// JSON into described structs, and what is wrong with it.
#pragma once

#include "messages/json_mapping.hpp"

namespace troupe::json {

/// Reads values into structs and gathers what is wrong with them. From outside, an unknown field is
/// a fault and a reference to stored content isn't accepted; from the log it is the other way round.
class reader {
 public:
  explicit reader(bool from_outside) : from_outside_(from_outside) {}
  const std::vector<problem_at>& faults() const { return faults_; }

  void get(const value& v, std::string& out) {
    v.is(kind::string) ? void(out = v.as_string()) : expected("a string");
  }
  void get(const value& v, bool& out) {
    v.is(kind::boolean) ? void(out = v.as_bool()) : expected("true or false");
  }
  void get(const value& v, std::int64_t& out) { whole(v.as_int64(), out); }
  void get(const value& v, std::uint64_t& out) { whole(v.as_uint64(), out); }
  void get(const value& v, double& out) {
    const auto number = v.as_double();
    number ? void(out = *number) : expected("a number");
  }
  void get(const value& v, raw& out) {
    auto compacted = compact(v.source());
    if (compacted)
      out = std::move(compacted->text);
  }
  void get(const value& v, large_text& out);
  void get(const value& v, referenced_text& out);
  void get(const value& v, content& out);

  template <described_enum E> void get(const value& v, E& out) {
    std::string known;
    bool found = false;
    mp11::mp_for_each<describe::describe_enumerators<E>>([&](auto enumerator) {
      const std::string name = written_name<E>(enumerator.name);
      known += (known.empty() ? "`" : ", `") + name + "`";
      if (v.is(kind::string) && v.as_string() == name) {
        out = enumerator.value;
        found = true;
      }
    });
    if (!found)
      expected("one of " + known);
  }

  template <class T> void get(const value& v, std::vector<T>& out) {
    if (!v.is(kind::array))
      return expected("a list");
    for (std::size_t i = 0; i < v.items().size(); ++i)
      at(std::to_string(i), [&] { get(v.items()[i], out.emplace_back()); });
  }

  template <class... T> void get(const value& v, std::variant<T...>& out) {
    const value* const type = v.find("type");
    bool found = false;
    if (type && type->is(kind::string))
      mp11::mp_for_each<mp11::mp_list<mp11::mp_identity<T>...>>([&]<class C>(mp11::mp_identity<C>) {
        if (found || variant_name<C>::value != type->as_string())
          return;
        found = true;
        get_members(v, out.template emplace<C>(), "type");
      });
    if (!found)
      at("type", [&] { expected(choices<T...>()); });
  }

  template <described_struct T> void get(const value& v, T& out) {
    if (!v.is(kind::object))
      return expected("an object");
    get_members(v, out, "");
  }

  void fault(std::string detail) { faults_.push_back({pointer_, std::move(detail)}); }
  void expected(std::string_view what) { fault("expected " + std::string(what)); }

  template <class F> void at(std::string_view name, F read) {
    const std::size_t length = pointer_.size();
    pointer_.push_back('/');
    for (const char c : name)
      c == '~' ? pointer_ += "~0" : c == '/' ? pointer_ += "~1" : pointer_ += c;
    read();
    pointer_.resize(length);
  }

 private:
  template <class N> void whole(const std::optional<N>& number, N& out) {
    number ? void(out = *number) : expected("a whole number");
  }

  template <class... T> static std::string choices() {
    std::string names;
    ((names += (names.empty() ? "one of `" : ", `") + std::string(variant_name<T>::value) + "`"), ...);
    return names;
  }

  template <class T> void get_members(const value& v, T& out, std::string_view also_known) {
    mp11::mp_for_each<members_of<T>>([&](auto member) {
      auto& field = out.*member.pointer;
      using field_type = std::remove_reference_t<decltype(field)>;
      const value* const found = v.find(member.name);
      at(member.name, [&] {
        if constexpr (is_optional<field_type>) {
          if (found && found->is(kind::null) && std::is_same_v<T, options>)
            return field.reset(); // a change that takes the option back
          if (found && (!found->is(kind::null) || std::is_same_v<field_type, std::optional<raw>>))
            get(*found, field.emplace());
        } else if (found) {
          get(*found, field);
        } else if (!has_default<T>(member.name)) {
          fault("is missing");
        }
      });
    });
    if (from_outside_)
      refuse_unknown<T>(v, also_known);
  }

  /// Options from outside may leave out all but nothing of what the log always holds.
  template <class T> bool has_default(std::string_view) const { return std::is_same_v<T, options>; }

  template <class T> void refuse_unknown(const value& v, std::string_view also_known) {
    for (const auto& [key, unused] : v.members()) {
      bool known = key == also_known;
      mp11::mp_for_each<members_of<T>>([&](auto member) { known = known || key == member.name; });
      if (!known)
        at(key, [&] { fault("is not a field here"); });
    }
  }

  bool from_outside_;
  std::string pointer_;
  std::vector<problem_at> faults_;
};

} // namespace troupe::json
