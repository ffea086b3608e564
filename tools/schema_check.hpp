// Checking a value against a compiled schema: bounded work, bounded depth, and faults in words.
#pragma once

#include "tools/schema_form.hpp"

namespace troupe::tools::schema_form {

/// One step of the way from the root to a value; it lives on the stack of the check.
struct place {
  const place* up = nullptr;
  std::string_view key;
  std::size_t index = 0;
  bool is_item = false;
};

/// How much a fault weighs: 1 unless it is one of these.
inline constexpr int wrong_type = 8;
inline constexpr int wrong_value = 4; ///< of an enum or a const: often what tells forms apart
inline constexpr std::size_t faults_max = 16;

/// A place that breaks a rule. The heavier, the further the value is from what was meant.
struct fault {
  std::string path;
  std::string what;
  int weight = 1;
};

std::string pointer_of(const place& at);

/// Is the text a date, a time or both, as RFC 3339 writes them?
bool has_format(std::string_view text, text_format format);

class checker {
 public:
  /// True if `value` keeps to `rule`. With `faults` all are collected, up to a bound; without, the
  /// first ends the check.
  bool check(const node& rule, const json::value& value, const place& at, std::vector<fault>* faults);
  bool is_exhausted() const { return exhausted_; }

 private:
  using faults = std::vector<fault>;
  bool check_self(const node& rule, const json::value& value, const place& at, faults* out);
  bool check_number(const node& rule, const json::value& value, const place& at, faults* out);
  bool check_text(const node& rule, const json::value& value, const place& at, faults* out);
  bool check_array(const node& rule, const json::value& value, const place& at, faults* out);
  bool check_object(const node& rule, const json::value& value, const place& at, faults* out);
  bool check_member(
      const node& rule, std::string_view name, const json::value& value, const place& at, faults* out);
  bool check_dependencies(const node& rule, const json::value& value, const place& at, faults* out);
  bool check_choices(const node& rule, const json::value& value, const place& at, faults* out);
  bool any_of(
      const std::vector<const node*>& choices, const json::value& value, const place& at, faults* out);

  long steps_left_ = 1'000'000;
  int depth_left_ = 1'000;
  bool exhausted_ = false;
};

/// Notes a fault; always false, so that a check can return it.
bool broken(std::vector<fault>* out, const place& at, std::string what, int weight = 1);
bool broken_at(std::vector<fault>* out, const place& at, std::string_view member, std::string what);

} // namespace troupe::tools::schema_form
