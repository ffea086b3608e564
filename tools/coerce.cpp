// Coercion along the compiled schema: types, properties and items; choices take the first that fits.
#include "tools/coerce.hpp"

#include "tools/schema_check.hpp"

namespace troupe::tools {

namespace {

using namespace schema_form;

bool fits(const node& rule, const json::value& value) {
  return checker().check(rule, value, place{}, nullptr);
}

void put(json::writer& out, const node* rule, const json::value& value);

/// The text as a value of one of `types`; empty if it is none.
std::string from_string(unsigned types, const std::string& text) {
  const auto parsed = json::parse(text);
  if ((types & null_bit) != 0 && (text.empty() || text == "null"))
    return "null";
  if (parsed.has_error())
    return {};
  const bool wanted = (parsed->is(json::kind::boolean) && (types & boolean_bit) != 0)
      || (is_whole(*parsed) && (types & integer_bit) != 0)
      || (parsed->is(json::kind::number) && (types & number_bit) != 0)
      || (parsed->is(json::kind::object) && (types & object_bit) != 0)
      || (parsed->is(json::kind::array) && (types & array_bit) != 0);
  return wanted ? text : std::string();
}

void put_inside(json::writer& out, const node* rule, const json::value& value) {
  if (value.is(json::kind::object)) {
    out.begin_object();
    for (const auto& [key, child] : value.members()) {
      const node* inner = rule == nullptr ? nullptr : rule->property(key);
      put(out.key(key), inner != nullptr || rule == nullptr ? inner : rule->other_properties, child);
    }
    out.end_object();
  } else if (value.is(json::kind::array)) {
    out.begin_array();
    for (std::size_t i = 0; i < value.items().size(); ++i)
      put(out,
          rule == nullptr                    ? nullptr
              : i < rule->first_items.size() ? rule->first_items[i]
                                             : rule->items,
          value.items()[i]);
    out.end_array();
  } else {
    out.raw_text(value.source());
  }
}

bool has_type(unsigned types, const json::value& value) {
  node typed;
  typed.types = types;
  return fits(typed, value);
}

void put(json::writer& out, const node* rule, const json::value& value) {
  while (rule != nullptr && rule->ref != nullptr && !rule->types)
    rule = rule->ref;
  if (rule != nullptr && !rule->types)
    for (const auto* choices : {&rule->any_of, &rule->one_of})
      for (const node* choice : *choices) {
        json::writer attempt;
        put(attempt, choice, value);
        if (const auto made = json::parse(attempt.text()); made.has_value() && fits(*choice, *made)) {
          out.raw_text(attempt.text());
          return;
        }
      }
  if (rule == nullptr || !rule->types || has_type(*rule->types, value))
    return put_inside(out, rule, value);
  const unsigned types = *rule->types;
  if (value.is(json::kind::string)) {
    const std::string text = from_string(types, value.as_string());
    const auto made = text.empty() ? json::parse("null") : json::parse(text);
    if (!text.empty() && made.has_value())
      return put_inside(out, rule, *made);
  }
  const bool plain = value.is(json::kind::number) || value.is(json::kind::boolean);
  if (plain && (types & string_bit) != 0) {
    out.string(value.source());
  } else if ((types & array_bit) != 0 && !value.is(json::kind::null) && !value.is(json::kind::array)) {
    out.begin_array();
    put(out, rule->items, value);
    out.end_array();
  } else {
    put_inside(out, rule, value);
  }
}

} // namespace

json::raw coerced(const json::raw& arguments, const schema& schema) {
  const auto value = json::parse(arguments.text);
  if (value.has_error())
    return arguments;
  json::writer out;
  put(out, schema.form().root, *value);
  auto compact = json::compact(out.text());
  return compact.has_value() ? std::move(compact->text) : arguments;
}

} // namespace troupe::tools
