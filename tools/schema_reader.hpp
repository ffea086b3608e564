// The reader of schemas: a walk over the JSON that makes the nodes and remembers where each stood.
#pragma once

#include "tools/schema_form.hpp"

namespace troupe::tools::schema_form {

/// A member's name as it stands in a JSON pointer.
std::string escaped_token(std::string_view token);

/// The subschemas that apply to the very value that `from` applies to.
std::vector<const node*> same_value_targets(const node& from);

class reader {
 public:
  reader(const json::value& root, document& out) : root_(root), document_(&out) {
    if (const json::value* draft = root.find("$schema"))
      new_draft_ = draft->as_string().find("draft/20") != std::string::npos;
  }
  result<void> run();

 private:
  problem fault(const json::value& where, const std::string& what,
      problem_code code = problem_code::invalid_input) const;
  void name_places(const json::value& value, const std::string& pointer);
  const node* node_at(const json::value& value);
  const json::value* follow(std::string_view reference) const;
  result<void> refuse_loops() const;

  result<void> read_node(const json::value& value, node& out);
  result<void> read_types(const json::value& value, node& out);
  result<void> read_numbers(const json::value& value, node& out);
  result<void> read_texts(const json::value& value, node& out);
  result<void> read_items(const json::value& value, node& out);
  result<void> read_properties(const json::value& value, node& out);
  result<void> read_dependencies(const json::value& value, node& out);
  result<void> read_choices(const json::value& value, node& out);

  result<void> read_number(const json::value& value, std::string_view key, std::optional<number>& out);
  result<void> read_count(const json::value& value, std::string_view key, std::optional<std::uint64_t>& out);
  void read_one(const json::value& value, std::string_view key, const node*& out);
  result<void> read_list(
      const json::value& value, std::string_view key, std::vector<const node*>& out, bool may_be_empty);
  result<void> read_names(const json::value& value, std::vector<std::string>& out);
  result<void> read_dependency(const std::string& name, const json::value& value, node& out);

  const json::value& root_;
  document* document_;
  bool new_draft_ = false; ///< the schema says that it is of 2019-09 or later
  std::map<const json::value*, std::string> paths_;
  std::map<std::string, const json::value*, std::less<>> places_;
  std::map<const json::value*, node*> made_;
  std::vector<const json::value*> waiting_;
};

} // namespace troupe::tools::schema_form
