// JSON Schema, draft-07: compiled once, checked often, answering in one sentence what was expected.
#pragma once

#include "messages/json.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::tools {

namespace schema_form {
struct document;
}

/// A compiled schema; a value, cheap to copy. Everything about it is bounded: its size and depth when
/// it is compiled, the work and the depth when it checks.
class schema {
 public:
  /// Keywords of later drafts that have an equivalent (`$defs`, `prefixItems`, `dependentRequired`,
  /// `dependentSchemas`) mean it; other assertions of those drafts are refused by name. `$ref` leads
  /// to a place in the same document.
  /// Errors: `invalid_input` with the pointer into the schema, `too_large`, `unsupported`.
  static result<schema> compile(std::string_view text);

  /// Absent if the value keeps to the schema, else `PATH: WHAT WAS EXPECTED`, as
  /// `/path: expected string`: the most useful fault, at most 400 bytes. The root's path is `/`.
  std::optional<std::string> check(const json::value& value) const;
  /// The same for a text, which must be JSON.
  std::optional<std::string> check(std::string_view text) const;

  /// True if only objects can keep to it, judged by `type` alone.
  bool wants_object() const;
  /// True if the root says no `type` at all.
  bool is_untyped() const;

  const schema_form::document& form() const { return *document_; }

 private:
  std::shared_ptr<const schema_form::document> document_;
};

/// Compiles each text once; forgets all of them when there are too many. Safe from many threads.
class schema_cache {
 public:
  result<schema> compile(std::string_view text);

 private:
  std::mutex mutex_;
  std::map<std::string, schema, std::less<>> compiled_;
};

} // namespace troupe::tools
