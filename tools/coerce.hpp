// Arguments brought to the types that a schema asks for, for tools that want it so.
#pragma once

#include "tools/schema.hpp"

namespace troupe::tools {

/// `arguments` with each value that is of another type than its place asks for turned into that
/// type, where it says exactly the same: `"5"` → `5`, `5` → `"5"`, `"true"` → `true`, `""` or
/// `"null"` → `null`, a JSON text → the object or list that it holds, one value → a list of it. What
/// can't be turned stays as it is, for the schema to refuse.
json::raw coerced(const json::raw& arguments, const schema& schema);

} // namespace troupe::tools
