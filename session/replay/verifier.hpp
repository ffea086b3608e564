// Reads a log from its beginning, and holds every append to what the machine decides and the chain says.
#pragma once

#include "session/replay/redecide.hpp"

#include <functional>
#include <string>

namespace troupe::session {

class verifier {
 public:
  /// Gives what is stored by content under a name, or nothing: asked for the state that a log goes on from
  /// whose beginning was removed.
  using content_source = std::function<std::optional<std::string>(const std::string& name)>;
  explicit verifier(content_source contents = {}) : contents_(std::move(contents)) {}

  /// The events of the next append as they are stored; whole, but where a fork has `cut` it. Gives the first
  /// difference, and then takes nothing more of the log in.
  std::optional<difference> take(std::span<const recorded_event> append, bool cut = false);

  /// After all that was taken; the events of a log that is whole are its `head`.
  const state& now() const { return now_; }
  /// The chain there: 32 bytes, empty at the beginning.
  const std::string& chain() const { return chain_; }
  /// Where the log begins: the events up to here were removed by retention. 0: none was.
  std::int64_t begins_after() const { return begins_after_; }

 private:
  std::optional<difference> begin_after_what_was_removed(const recorded_event& first);
  std::optional<difference> fill(event& happened) const;

  content_source contents_;
  state now_;
  std::string chain_;
  std::int64_t begins_after_ = 0;
};

} // namespace troupe::session
