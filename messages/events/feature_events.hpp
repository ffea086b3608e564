// Events of features: children, durable values and timers.
#pragma once

#include "messages/content.hpp"

namespace troupe {

enum class value_scope { session, history, run };
BOOST_DESCRIBE_ENUM(value_scope, session, history, run)

struct child_spawned {
  std::string child;
  std::optional<std::string> execution_id;
  bool operator==(const child_spawned&) const = default;
};
struct child_settled {
  std::string child;
  json::raw outcome;
  bool operator==(const child_settled&) const = default;
};
struct report_delivered {
  std::string message_id;
  bool operator==(const report_delivered&) const = default;
};

struct value_written {
  value_scope scope = value_scope::session;
  std::string key;
  json::raw value;
  bool operator==(const value_written&) const = default;
};
struct value_deleted {
  value_scope scope = value_scope::session;
  std::string key;
  bool operator==(const value_deleted&) const = default;
};

struct timer_set {
  std::string timer_id;
  std::string due;
  json::raw message;
  bool operator==(const timer_set&) const = default;
};
struct timer_fired {
  std::string timer_id;
  std::string due;
  json::raw message;
  bool operator==(const timer_fired&) const = default;
};
struct timer_cancelled {
  std::string timer_id;
  bool operator==(const timer_cancelled&) const = default;
};

BOOST_DESCRIBE_STRUCT(child_spawned, (), (child, execution_id))
BOOST_DESCRIBE_STRUCT(child_settled, (), (child, outcome))
BOOST_DESCRIBE_STRUCT(report_delivered, (), (message_id))
BOOST_DESCRIBE_STRUCT(value_written, (), (scope, key, value))
BOOST_DESCRIBE_STRUCT(value_deleted, (), (scope, key))
BOOST_DESCRIBE_STRUCT(timer_set, (), (timer_id, due, message))
BOOST_DESCRIBE_STRUCT(timer_fired, (), (timer_id, due, message))
BOOST_DESCRIBE_STRUCT(timer_cancelled, (), (timer_id))

} // namespace troupe
