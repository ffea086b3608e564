// What the readers of requests share: a rule that is broken ends the reading.
#pragma once

#include "messages/json.hpp"

namespace troupe::providers::gym {

/// A request with more is refused, as the services do.
inline constexpr std::size_t messages_max = 100'000;

/// Thrown where a rule is broken and caught where the reading began.
struct refusal {
  std::string message;
  std::string param; ///< the place in the request, of services that name it
  std::string code;
};
[[noreturn]] void refuse(std::string message, std::string param = {}, std::string code = {});

/// The member's text; empty if there is no such string.
std::string_view string_at(const json::value& in, std::string_view key);
/// True for 1 to `most` characters of `[a-zA-Z0-9_-]`.
bool is_name(std::string_view text, std::size_t most);

} // namespace troupe::providers::gym
