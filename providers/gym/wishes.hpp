// What a prompt asks for, found by its words: the ear of the gym's small model.
#pragma once

#include "providers/gym/conversation.hpp"

namespace troupe::providers::gym {

/// A tool to call, with arguments that its schema takes.
struct wish {
  std::string tool;
  std::string arguments; ///< JSON text
};

/// The wishes of `text` in the order in which its words name them, at most eight.
std::vector<wish> find_wishes(std::string_view text, const std::vector<seen_tool>& tools);

} // namespace troupe::providers::gym
