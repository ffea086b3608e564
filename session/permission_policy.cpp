// First match wins; `*` matches every tool.
#include "session/permission_policy.hpp"

namespace troupe::session {

const permission_rule* find_rule(const options& options, std::string_view tool) {
  if (options.permissions)
    for (const auto& rule : *options.permissions)
      if (rule.tool == "*" || rule.tool == tool)
        return &rule;
  return nullptr;
}

} // namespace troupe::session
