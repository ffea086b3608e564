// The context of a log: what the next inference would be shown.
#pragma once

#include "session/evolve.hpp"

namespace troupe::session {

/// Pure: the same prefix gives the same messages, and the same bytes as JSON.
std::vector<message> project(std::span<const event> log);

/// The context as the JSON array that its digest is made of.
std::string to_json(const std::vector<message>& context);

} // namespace troupe::session
