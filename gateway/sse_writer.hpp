// Events as the lines of text/event-stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::gateway {

/// Appends one event. Without an `id` the client's `Last-Event-ID` stays as it is. Line ends in `data`
/// become further data lines; `name` is cut at one, so that no text can pose as a field or an event.
void append_event(
    std::string& out, std::optional<std::uint64_t> id, std::string_view name, std::string_view data);

/// Appends a line that clients ignore.
void append_comment(std::string& out, std::string_view text);

} // namespace troupe::gateway
