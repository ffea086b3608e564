// Brings the schema up to date: small numbered steps, each applied once, under one lock.
#pragma once

#include "messages/result.hpp"

#include <string>
#include <vector>

namespace troupe::persistence {

/// One step, as it stands in migrations/.
struct migration {
  int version = 0;
  std::string name;
  std::string up;
  std::string down;
};

/// All steps of this program, in order; made from migrations/ at build time.
const std::vector<migration>& migrations();

class migrator {
 public:
  /// `url` is whatever libpq takes; its login owns the schema. `steps` are for tests.
  explicit migrator(std::string url, const std::vector<migration>& steps = migrations())
      : url_(std::move(url)), steps_(steps) {}

  /// The names of the steps that the database lacks; changes nothing. Errors: `unavailable`;
  /// `conflict` where the schema is newer than this program or a step isn't the one that was applied.
  result<std::vector<std::string>> check();
  /// Applies what is missing, and gives the names of what it applied. Waits for another migrator at
  /// work, a minute at most. Each step is applied whole or not at all.
  result<std::vector<std::string>> up();
  /// Takes back the steps above `version`, newest first; 0 takes everything. For development: what
  /// is in the tables is gone.
  result<std::vector<std::string>> down(int version);

 private:
  std::string url_;
  std::vector<migration> steps_;
};

/// What `doctor` says about the roles that keep tenants apart: empty if they are in force, else the
/// SQL that an administrator runs. Errors: `unavailable`.
result<std::string> missing_roles(const std::string& url);

} // namespace troupe::persistence
