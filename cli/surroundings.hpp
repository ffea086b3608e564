// What commands work in: their flags, the configuration, the sessions that are kept.
#pragma once

#include "troupe/composition.hpp"

namespace troupe::cli {

/// The flags that every command has.
struct common_flags {
  std::string config_file;
  std::string database;
  std::string data_dir;
  bool json = false;
};

/// The configuration with the flags laid over it.
result<config::configuration> load_configuration(const common_flags& flags);

/// A tenant's sessions, to look at.
struct archive {
  library::database database;
  std::shared_ptr<persistence::journal> journal;
  std::int32_t tenant = 0;
};
result<archive> open_archive(const common_flags& flags, const std::string& tenant);
/// The session's row. Errors: `not_found`, with a name that is near.
result<persistence::session_row> find_session(const archive& kept, const std::string& id);

} // namespace troupe::cli
