// Reads a log from its beginning, and holds every append to what the machine decides and the chain says.
#pragma once

#include "session/replay/redecide.hpp"

#include <string>

namespace troupe::session {

class verifier {
 public:
  /// The events of the next append as they are stored; whole, but where a fork has `cut` it. Gives the first
  /// difference, and then takes nothing more of the log in.
  std::optional<difference> take(std::span<const recorded_event> append, bool cut = false);

  /// After all that was taken; the events of a log that is whole are its `head`.
  const state& now() const { return now_; }
  /// The chain there: 32 bytes, empty at the beginning.
  const std::string& chain() const { return chain_; }

 private:
  state now_;
  std::string chain_;
};

} // namespace troupe::session
