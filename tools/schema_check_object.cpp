// The check of an object's members and of the choices that a schema leaves.
#include "messages/text.hpp"
#include "tools/schema_check.hpp"

#include <algorithm>

namespace troupe::tools::schema_form {

namespace {

std::string nearest_property(const node& rule, std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& [known, child] : rule.properties)
    names.push_back(known);
  return nearest_name(name, names.data(), names.data() + names.size());
}

/// How far the value is from a form: a wrong type of the whole says most, a wrong type within little.
int distance(const std::vector<fault>& faults, const place& at) {
  const std::string here = pointer_of(at);
  int sum = 0;
  for (const fault& one : faults)
    sum += one.weight == wrong_type && one.path != here ? 1 : one.weight;
  return sum;
}

} // namespace

bool checker::check_object(const node& rule, const json::value& value, const place& at, faults* out) {
  if (!value.is(json::kind::object))
    return true;
  const auto& members = value.members();
  bool good = true;
  for (const std::string& name : rule.required)
    if (value.find(name) == nullptr) {
      good = broken_at(out, at, name, "expected a value (it is required)");
      if (out == nullptr)
        return false;
    }
  if (rule.properties_min && members.size() < *rule.properties_min)
    return broken(out, at, "expected at least " + std::to_string(*rule.properties_min) + " members");
  if (rule.properties_max && members.size() > *rule.properties_max)
    return broken(out, at, "expected at most " + std::to_string(*rule.properties_max) + " members");
  for (const auto& [name, child] : members) {
    good = check_member(rule, name, child, at, out) && good;
    if (!good && out == nullptr)
      return false;
  }
  return check_dependencies(rule, value, at, out) && good;
}

bool checker::check_member(
    const node& rule, std::string_view name, const json::value& value, const place& at, faults* out) {
  const place inside{&at, name};
  bool known = false;
  bool good = true;
  const auto apply = [&](const node& child) {
    known = true;
    good = check(child, value, inside, out) && good;
  };
  if (const node* child = rule.property(name))
    apply(*child);
  for (const auto& [expression, child] : rule.pattern_properties)
    if (expression.match(name) != pattern::outcome::differs)
      apply(*child);
  if (!known && rule.other_properties != nullptr) {
    if (rule.other_properties->always == false) {
      const std::string near = nearest_property(rule, name);
      good = broken(out, inside,
          "expected no such member" + (near.empty() ? "" : "; did you mean " + json::quote(near) + "?"));
    } else {
      apply(*rule.other_properties);
    }
  }
  if (rule.property_names != nullptr) {
    const std::string quoted = json::quote(name);
    const auto as_value = json::parse(quoted);
    if (as_value.has_value() && !check(*rule.property_names, *as_value, inside, nullptr))
      good = broken(out, inside, "expected a member of another name");
  }
  return good;
}

bool checker::check_dependencies(const node& rule, const json::value& value, const place& at, faults* out) {
  for (const auto& [name, dependency] : rule.dependencies) {
    if (value.find(name) == nullptr)
      continue;
    for (const std::string& other : dependency.names)
      if (value.find(other) == nullptr)
        return broken_at(
            out, at, other, "expected a value (it is required beside " + json::quote(name) + ")");
    if (dependency.then != nullptr && !check(*dependency.then, value, at, out))
      return false;
  }
  return true;
}

/// Of the choices that fail, the one that comes closest tells what was expected.
bool checker::any_of(
    const std::vector<const node*>& choices, const json::value& value, const place& at, faults* out) {
  std::optional<faults> closest;
  unsigned types = 0;
  bool all_by_type = true;
  for (const node* choice : choices) {
    faults found;
    if (check(*choice, value, at, out == nullptr ? nullptr : &found))
      return true;
    const node* typed = choice;
    while (typed->ref != nullptr && !typed->types)
      typed = typed->ref;
    types |= typed->types.value_or(0);
    all_by_type = all_by_type && found.size() == 1 && found.front().weight == wrong_type;
    if (!found.empty() && (!closest || distance(found, at) < distance(*closest, at)))
      closest = std::move(found);
  }
  if (out == nullptr)
    return false;
  if (all_by_type && types != 0)
    return broken(out, at, "expected " + in_words(types), wrong_type);
  if (closest && out->size() < faults_max)
    out->insert(out->end(), closest->begin(), closest->end());
  return closest ? false : broken(out, at, "expected one of the forms that the schema allows");
}

bool checker::check_choices(const node& rule, const json::value& value, const place& at, faults* out) {
  bool good = true;
  for (const node* each : rule.all_of)
    if (good || out != nullptr)
      good = check(*each, value, at, out) && good;
  if (!rule.any_of.empty() && (good || out != nullptr))
    good = any_of(rule.any_of, value, at, out) && good;
  if (!rule.one_of.empty() && (good || out != nullptr)) {
    const auto fits = std::count_if(rule.one_of.begin(), rule.one_of.end(),
        [&](const node* one) { return check(*one, value, at, nullptr); });
    if (fits == 0)
      good = any_of(rule.one_of, value, at, out) && good;
    else if (fits > 1)
      good = broken(out, at, "expected a value that fits one form of the schema, not several");
  }
  if (rule.none_of != nullptr && good && check(*rule.none_of, value, at, nullptr))
    good = broken(out, at, "expected something else (the schema's \"not\" fits)");
  if (rule.if_ != nullptr && good && !exhausted_) {
    const node* next = check(*rule.if_, value, at, nullptr) ? rule.then_ : rule.else_;
    good = next == nullptr || check(*next, value, at, out);
  }
  return good;
}

} // namespace troupe::tools::schema_form
