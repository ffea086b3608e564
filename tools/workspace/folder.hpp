// Reading a folder that may hold anything: its names in order, within a bound.
#pragma once

#include "tools/tool.hpp"

namespace troupe::tools {

/// The names of a folder, the first of them in order.
struct folder_names {
  std::vector<std::string> names;
  std::size_t left_out = 0; ///< how many more there are, as far as they were counted
};

/// Reads the folder `opened`, as long as nobody stops the call. Over `names_max` names it counts on,
/// up to a million.
result<folder_names> read_folder(int opened, const call& call, std::size_t names_max);

/// A name as one line shows it: one that holds control characters or isn't UTF-8 is quoted as in JSON.
std::string shown_name(std::string_view name);

} // namespace troupe::tools
