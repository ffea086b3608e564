// What a client of the API gets: an answer with its document, an event of a stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::testing {

/// An answer: its status, and its body as JSON where it is JSON.
struct answered {
  int status = 0;
  std::string body;
  /// The text of a member by its path, as `usage/input_tokens`; strings without quotes, empty if it isn't
  /// there.
  std::string at(std::string_view path) const;
  std::size_t size(std::string_view path) const;
};

/// One event of a stream.
struct sent_event {
  std::string id;
  std::string name;
  std::string data;
  std::string at(std::string_view path) const { return answered{200, data}.at(path); }
};

/// Takes the next whole event out of what a stream has brought; absent while there is none. Comments are
/// passed over.
std::optional<sent_event> take_event(std::string& brought);

} // namespace troupe::testing
