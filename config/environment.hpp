// The environment over the file: TROUPE__SECTION__KEY, secrets also from files.
#pragma once

#include "config/keys.hpp"

#include <toml++/toml.h>

namespace troupe::config {

/// Lays `DATABASE_URL` and `TROUPE__SECTION__KEY` over the file's table, as text. `TROUPE__…_FILE` of a
/// secret names a file that holds it: those go into `secret_files`. The sections only say what there is;
/// nothing is read through them.
std::optional<problem> lay_over(toml::table& root, const section& known,
    const std::map<std::string, std::string>& environment, std::vector<std::string>& secret_files);

/// The variable that gives a key, as `TROUPE__DATABASE__URL` for `database.url`.
std::string variable_of(const std::string& path);

} // namespace troupe::config
