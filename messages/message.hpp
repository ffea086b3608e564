// A message of the context, as the next inference sees it.
#pragma once

#include "messages/block.hpp"

namespace troupe {

/// `role`: `system`, `user`, `assistant`, `tool`, or `custom:KIND`. An assistant's message has
/// `blocks`, every other has `parts`. `call_id` and `is_error` stand on tool messages only.
struct message {
  std::string role;
  std::vector<content_part> parts;
  std::vector<block> blocks;
  std::optional<std::string> call_id;
  std::optional<bool> is_error;
  bool operator==(const message&) const = default;
};

/// The message as JSON, `{role, content, call_id?, is_error?}` in that order, blobs by reference:
/// the bytes that a context's digest is made of.
std::string to_json(const message& message);

/// Reads what `to_json` writes.
result<message> message_from_json(const json::value& value);

} // namespace troupe
