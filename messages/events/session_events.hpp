// Events of a session's own life.
#pragma once

#include "messages/options.hpp"

namespace troupe {

struct session_created {
  troupe::options options;
  std::int64_t machine = 1;
  std::optional<std::string> parent;
  bool operator==(const session_created&) const = default;
};

/// The cut that a fork goes on from.
struct fork_point {
  std::string session;
  std::int64_t seq = 0;
  bool operator==(const fork_point&) const = default;
};

struct session_forked {
  fork_point from;
  troupe::options options;
  std::int64_t machine = 1;
  bool operator==(const session_forked&) const = default;
};

struct session_updated {
  json::raw changes;
  bool operator==(const session_updated&) const = default;
};
struct session_parked {
  std::string reason;
  bool operator==(const session_parked&) const = default;
};
struct session_unparked {
  std::string by;
  bool operator==(const session_unparked&) const = default;
};
struct session_closing {
  std::optional<std::string> reason;
  bool operator==(const session_closing&) const = default;
};
struct session_closed {
  std::optional<std::string> reason;
  bool operator==(const session_closed&) const = default;
};

BOOST_DESCRIBE_STRUCT(session_created, (), (options, machine, parent))
BOOST_DESCRIBE_STRUCT(fork_point, (), (session, seq))
BOOST_DESCRIBE_STRUCT(session_forked, (), (from, options, machine))
BOOST_DESCRIBE_STRUCT(session_updated, (), (changes))
BOOST_DESCRIBE_STRUCT(session_parked, (), (reason))
BOOST_DESCRIBE_STRUCT(session_unparked, (), (by))
BOOST_DESCRIBE_STRUCT(session_closing, (), (reason))
BOOST_DESCRIBE_STRUCT(session_closed, (), (reason))

} // namespace troupe
