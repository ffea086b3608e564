// Regular expressions of a JSON Schema: the common ground of ECMA-262, matched with bounded work.
#pragma once

#include "messages/result.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace troupe::tools {

/// A compiled pattern; cheap to copy. It matches by code point, anywhere in the text unless anchored.
class pattern {
 public:
  /// Errors: `invalid_input` with what isn't understood. Back references, Perl's own escapes and
  /// flags are refused: they mean something else in other languages, or nothing.
  static result<pattern> compile(std::string_view source);

  enum class outcome { matches, differs, too_hard };
  /// `too_hard`: the bound on the work was reached before the answer was known.
  outcome match(std::string_view text) const;
  const std::string& source() const { return source_; }

 private:
  struct machine;
  std::string source_;
  std::shared_ptr<const machine> machine_;
};

} // namespace troupe::tools
