// A table of the file against the table of keys.
#pragma once

#include "config/keys.hpp"

#include <toml++/toml.h>

namespace troupe::config {

/// Reads every key of the table into its place and notes those that have no effect. The first mistake
/// ends it; `file` is named in front of it, or the variable that gave the value.
std::optional<problem> read(const toml::table& table, const section& known, const std::string& file,
    std::vector<std::string>& without_effect);

} // namespace troupe::config
