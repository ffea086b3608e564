// The check of one value by one subschema, without what is inside it.
#include "tools/schema_check.hpp"

#include "tools/schema_reader.hpp"

#include <algorithm>
#include <cmath>

namespace troupe::tools::schema_form {

namespace {

unsigned type_of(const json::value& value) {
  switch (value.type()) {
  case json::kind::null:
    return null_bit;
  case json::kind::boolean:
    return boolean_bit;
  case json::kind::number:
    return is_whole(value) ? integer_bit : number_bit;
  case json::kind::string:
    return string_bit;
  case json::kind::array:
    return array_bit;
  case json::kind::object:
    return object_bit;
  }
  return 0;
}

std::string written(number n) {
  std::string out;
  if (std::trunc(n) == n && std::fabs(n) < 1e19L) {
    out = std::to_string(n);
    return out.substr(0, out.find('.'));
  }
  json::append_number(out, static_cast<double>(n));
  return out;
}

/// 0.0075 is a multiple of 0.0001 for whoever wrote it, though neither has an exact binary form.
bool is_multiple(number n, number of) {
  if (!std::isfinite(n))
    return true;
  const number parts = std::nearbyint(1 / of);
  if (std::trunc(n) == n && parts >= 1 && std::fabs(1 / of - parts) <= parts * 1e-12L)
    return true; // any whole number is a multiple of 0.01
  const number rest = std::fabs(std::remainder(n, of));
  const number inexact = std::max(of * 1e-9L, std::fabs(n) * 1e-15L);
  return rest == 0 || (rest <= inexact && inexact < of * 1e-3L);
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string counted(std::string_view bound, std::uint64_t count, const char* what) {
  return "expected " + std::string(bound) + " " + std::to_string(count) + " " + what
      + (count == 1 ? "" : "s");
}

} // namespace

std::string pointer_of(const place& at) {
  if (at.up == nullptr)
    return "";
  return pointer_of(*at.up) + "/" + (at.is_item ? std::to_string(at.index) : escaped_token(at.key));
}

bool broken(std::vector<fault>* out, const place& at, std::string what, int weight) {
  if (out != nullptr && out->size() < faults_max)
    out->push_back({pointer_of(at), std::move(what), weight});
  return false;
}

bool broken_at(std::vector<fault>* out, const place& at, std::string_view member, std::string what) {
  return broken(out, place{&at, member}, std::move(what));
}

bool checker::check(const node& rule, const json::value& value, const place& at, faults* out) {
  if (--steps_left_ < 0 || depth_left_ == 0) {
    exhausted_ = true;
    return false;
  }
  if (rule.always)
    return *rule.always || broken(out, at, "expected nothing here");
  if (rule.types && (*rule.types & type_of(value)) == 0)
    return broken(out, at, "expected " + in_words(*rule.types), wrong_type);
  --depth_left_;
  bool good = rule.ref == nullptr || check(*rule.ref, value, at, out);
  const auto go_on = [&] { return (good || out != nullptr) && !exhausted_; };
  for (const auto part :
      {&checker::check_self, &checker::check_array, &checker::check_object, &checker::check_choices})
    if (go_on())
      good = (this->*part)(rule, value, at, out) && good;
  ++depth_left_;
  return good && !exhausted_;
}

bool checker::check_self(const node& rule, const json::value& value, const place& at, faults* out) {
  if (rule.allowed && rule.allowed->count(canonical(value)) == 0)
    return broken(
        out, at, (rule.is_const ? "expected " : "expected one of ") + rule.allowed_in_words, wrong_value);
  if (value.is(json::kind::number))
    return check_number(rule, value, at, out);
  return !value.is(json::kind::string) || check_text(rule, value, at, out);
}

bool checker::check_number(const node& rule, const json::value& value, const place& at, faults* out) {
  const number n = as_number(value);
  if (rule.minimum && n < *rule.minimum)
    return broken(out, at, "expected a number of at least " + written(*rule.minimum));
  if (rule.maximum && n > *rule.maximum)
    return broken(out, at, "expected a number of at most " + written(*rule.maximum));
  if (rule.above && n <= *rule.above)
    return broken(out, at, "expected a number above " + written(*rule.above));
  if (rule.below && n >= *rule.below)
    return broken(out, at, "expected a number below " + written(*rule.below));
  return !rule.multiple_of || is_multiple(n, *rule.multiple_of)
      || broken(out, at, "expected a multiple of " + written(*rule.multiple_of));
}

bool checker::check_text(const node& rule, const json::value& value, const place& at, faults* out) {
  const std::string& text = value.as_string();
  if (rule.length_min || rule.length_max) {
    const std::size_t length = characters(text);
    if (rule.length_min && length < *rule.length_min)
      return broken(out, at, counted("at least", *rule.length_min, "character"));
    if (rule.length_max && length > *rule.length_max)
      return broken(out, at, counted("at most", *rule.length_max, "character"));
  }
  if (rule.text_pattern) {
    const auto outcome = rule.text_pattern->match(text);
    if (outcome == pattern::outcome::differs)
      return broken(out, at, "expected text that matches " + rule.text_pattern->source());
    if (outcome == pattern::outcome::too_hard)
      return broken(out, at,
          "expected text that can be compared with " + rule.text_pattern->source() + " in bounded time");
  }
  if (has_format(text, rule.format))
    return true;
  return broken(out, at,
      rule.format == text_format::date       ? "expected a date as 2026-11-30"
          : rule.format == text_format::time ? "expected a time as 10:00:00Z"
                                             : "expected a moment as 2026-11-30T10:00:00Z");
}

bool checker::check_array(const node& rule, const json::value& value, const place& at, faults* out) {
  if (!value.is(json::kind::array))
    return true;
  const auto& items = value.items();
  if (rule.items_min && items.size() < *rule.items_min)
    return broken(out, at, counted("at least", *rule.items_min, "item"));
  if (rule.items_max && items.size() > *rule.items_max)
    return broken(out, at, counted("at most", *rule.items_max, "item"));
  bool good = true;
  for (std::size_t i = 0; i < items.size() && (good || out != nullptr); ++i) {
    const node* child = i < rule.first_items.size() ? rule.first_items[i] : rule.items;
    if (child != nullptr)
      good = check(*child, items[i], place{&at, {}, i, true}, out) && good;
  }
  if (!good)
    return false;
  if (rule.contains != nullptr) {
    const auto fits = [&](const json::value& item) { return check(*rule.contains, item, at, nullptr); };
    if (std::none_of(items.begin(), items.end(), fits))
      return broken(out, at, "expected an item of the kind that the schema asks for (contains)");
  }
  if (rule.unique) {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < items.size(); ++i)
      if (!seen.insert(canonical(items[i])).second)
        return broken(out, place{&at, {}, i, true}, "expected an item that isn't there already");
  }
  return true;
}

} // namespace troupe::tools::schema_form
