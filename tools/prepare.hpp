// What happens to a call before anybody is asked about it: lookup, complete, JSON, schema; and to a
// result before the model sees it.
#pragma once

#include "messages/block.hpp"
#include "tools/tool_box.hpp"

namespace troupe::tools {

/// A call that may go on: to permission, then to execution with these arguments.
struct prepared_call {
  const offered_tool* tool; ///< owned by the offer
  json::raw arguments;      ///< valid by the schema; coerced where the tool asks for it
};

/// A call that ends here. Its text is one of the fixed ones, which logs keep and tests know.
struct refused_call {
  std::string text;
  troupe::error_kind error_kind = error_kind::invalid_input;
};

/// In this order: an unknown tool, an incomplete call, text that isn't JSON, a broken schema.
/// `complete` is false where the answer ended before the call's arguments did.
std::variant<prepared_call, refused_call> prepare(
    const offer& offer, const tool_call_block& call, bool complete = true);

/// The same for arguments that somebody has put in the model's place.
std::variant<prepared_call, refused_call> prepare(
    const offer& offer, std::string_view name, std::string_view arguments);

/// Runs the tool on this thread. An exception becomes a failed result with its text; the result is
/// checked. The call must be prepared and its start committed.
output invoke(const offered_tool& tool, const call& call);

/// A result that breaks the tool's `result` schema becomes the error that says so. The value that is
/// checked is the content's text read as JSON, or as a string where it isn't JSON. Errors of the tool
/// itself and stopped calls pass unchanged.
output checked_result(const offered_tool& tool, output result);

} // namespace troupe::tools
