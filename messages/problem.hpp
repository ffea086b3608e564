// What went wrong, in words that help: a stable code, the value and the rule, and the next step.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <boost/assert/source_location.hpp>

namespace troupe {

/// Every kind of refusal and fault that leaves a room. Only ever added to; `name_of` gives the
/// stable name that users see (`urn:troupe:error:NAME`).
enum class problem_code {
  invalid_input,   // the caller's value breaks a rule; nothing changed
  not_found,       // no such session, message, execution or decision
  conflict,        // the session's state doesn't allow it now
  closed,          // the session takes no more work
  behind,          // decided on a head that has moved: fold what is missing and decide again
  duplicate,       // the id was claimed before
  fenced,          // another node owns the session now
  owned_elsewhere, // a live process owns the session
  too_large,       // over a named bound
  corrupt,         // stored data breaks the format; the detail names where
  unavailable,     // the database or a provider can't be reached now
  unsupported,     // asked for something this build doesn't do
  cancelled,       // stopped on request
  timeout,         // took longer than its bound
  internal,        // a fault of ours
};

/// One place in a document that is wrong.
struct problem_at {
  std::string pointer; ///< RFC 6901 JSON pointer
  std::string detail;
  bool operator==(const problem_at&) const = default;
};

/// A refusal or a fault as a value. `detail` is a whole sentence for the user: never a secret.
struct problem {
  problem_code code = problem_code::internal;
  std::string detail;
  std::vector<problem_at> errors;
  bool operator==(const problem&) const = default;
};

std::string_view name_of(problem_code code);

/// A problem as an exception: of blocking calls, and of a `result` that is asked for a value which it hasn't.
class error : public std::runtime_error {
 public:
  explicit error(troupe::problem why);
  problem_code code() const { return why_.code; }
  const troupe::problem& why() const { return why_; }

 private:
  troupe::problem why_;
};

/// Throws it as an `error`.
[[noreturn]] void throw_exception_from_error(const problem& why, const boost::source_location& where);

} // namespace troupe
