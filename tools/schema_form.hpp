// The compiled form of a JSON Schema: one node a subschema, references resolved to nodes.
#pragma once

#include "messages/json.hpp"
#include "tools/pattern.hpp"

#include <deque>
#include <map>
#include <set>

namespace troupe::tools::schema_form {

/// Every `int64`, `uint64` and `double` has an exact `long double` where we run.
using number = long double;
static_assert(std::numeric_limits<number>::digits >= 64);

/// The seven words of `type` as bits; `number` includes `integer`.
enum type_bit : unsigned {
  null_bit = 1,
  boolean_bit = 2,
  integer_bit = 4,
  number_bit = 8,
  string_bit = 16,
  array_bit = 32,
  object_bit = 64
};

enum class text_format { none, date, time, date_time };

struct node;

struct dependency {
  std::vector<std::string> names; ///< what must be there too
  const node* then = nullptr;     ///< or what the whole object must keep to
};

/// A subschema. An absent keyword is an empty member.
struct node {
  std::optional<bool> always; ///< the schemas `true` and `false`
  const node* ref = nullptr;

  std::optional<unsigned> types;
  std::optional<std::set<std::string>> allowed; ///< `enum` and `const`, in canonical form
  std::string allowed_in_words;
  bool is_const = false;

  std::optional<number> minimum, maximum, above, below, multiple_of;
  std::optional<std::uint64_t> length_min, length_max, items_min, items_max, properties_min, properties_max;
  std::optional<pattern> text_pattern;
  text_format format = text_format::none;

  const node* items = nullptr; ///< of every item, or of those behind `first_items`
  std::vector<const node*> first_items;
  const node* contains = nullptr;
  bool unique = false;

  std::vector<std::pair<std::string, const node*>> properties;
  std::vector<std::pair<pattern, const node*>> pattern_properties;
  const node* other_properties = nullptr;
  const node* property_names = nullptr;
  std::vector<std::string> required;
  std::vector<std::pair<std::string, dependency>> dependencies;

  std::vector<const node*> all_of, any_of, one_of;
  const node* none_of = nullptr; ///< `not`
  const node* if_ = nullptr;
  const node* then_ = nullptr;
  const node* else_ = nullptr;

  const node* property(std::string_view name) const;
};

/// Nodes live as long as the document; `root` is one of them.
struct document {
  std::deque<node> nodes;
  const node* root = nullptr;
};

/// A value in a form in which equal values are equal texts: numbers by value, keys sorted.
std::string canonical(const json::value& value);

/// The number as it is, infinite beyond what a double holds.
number as_number(const json::value& value);
bool is_whole(const json::value& value);

/// `string`, `integer or null`…
std::string in_words(unsigned types);

/// Reads a schema's text. Errors as `schema::compile`.
result<std::shared_ptr<const document>> read(std::string_view text);

} // namespace troupe::tools::schema_form
