// Events of the two queues and of what a message may change.
#pragma once

#include "messages/content.hpp"

namespace troupe {

enum class delivery { steer, send };
BOOST_DESCRIBE_ENUM(delivery, steer, send)

/// What a message may set for the inference that answers it, and from there on.
struct message_settings {
  std::optional<std::string> provider{};
  std::optional<std::string> model{};
  std::optional<std::string> effort{};
  std::optional<std::string> service_tier{};
  bool operator==(const message_settings&) const = default;
};

struct message_queued {
  std::string message_id;
  troupe::delivery delivery = delivery::send;
  troupe::content content;
  std::optional<std::string> role;
  std::optional<message_settings> settings;
  std::optional<json::raw> metadata;
  std::optional<std::string> by;
  bool operator==(const message_queued&) const = default;
};

struct message_withdrawn {
  std::vector<std::string> message_ids;
  std::string by;
  bool operator==(const message_withdrawn&) const = default;
};

/// A hook has spoken about a message; `content` null: vetoed.
struct input_replaced {
  std::string message_id;
  json::raw content;
  std::string by;
  bool operator==(const input_replaced&) const = default;
};

struct messages_consumed {
  std::vector<std::string> message_ids;
  bool operator==(const messages_consumed&) const = default;
};

struct settings_changed {
  std::string provider;
  std::string model;
  std::optional<std::string> effort;
  std::optional<std::string> service_tier;
  message_settings previous;
  bool compatible = true;
  std::optional<std::string> message_id;
  bool operator==(const settings_changed&) const = default;
};

BOOST_DESCRIBE_STRUCT(message_settings, (), (provider, model, effort, service_tier))
BOOST_DESCRIBE_STRUCT(message_queued, (), (message_id, delivery, content, role, settings, metadata, by))
BOOST_DESCRIBE_STRUCT(message_withdrawn, (), (message_ids, by))
BOOST_DESCRIBE_STRUCT(input_replaced, (), (message_id, content, by))
BOOST_DESCRIBE_STRUCT(messages_consumed, (), (message_ids))
BOOST_DESCRIBE_STRUCT(
    settings_changed, (), (provider, model, effort, service_tier, previous, compatible, message_id))

} // namespace troupe
