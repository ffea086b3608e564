// Events of what a person is asked.
#pragma once

#include "messages/content.hpp"

namespace troupe {

/// `arguments` is left out where it equals the block's.
struct permission_requested {
  std::string decision_id;
  std::string execution_id;
  std::string name;
  std::optional<json::raw> arguments;
  std::string by;
  std::optional<std::string> expires_at;
  bool operator==(const permission_requested&) const = default;
};

struct permission_decided {
  std::string decision_id;
  std::string execution_id;
  std::string decision; ///< `allow` or `deny`
  std::string by;
  std::optional<std::string> reason;
  std::optional<json::raw> arguments;
  bool operator==(const permission_decided&) const = default;
};

struct permission_expired {
  std::string decision_id;
  std::string reason; ///< `run_ended`, `voided`, `deadline` or `fork`
  bool operator==(const permission_expired&) const = default;
};

BOOST_DESCRIBE_STRUCT(permission_requested, (), (decision_id, execution_id, name, arguments, by, expires_at))
BOOST_DESCRIBE_STRUCT(permission_decided, (), (decision_id, execution_id, decision, by, reason, arguments))
BOOST_DESCRIBE_STRUCT(permission_expired, (), (decision_id, reason))

} // namespace troupe
