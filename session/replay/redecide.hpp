// A recorded append, decided again: I-9, for one command.
#pragma once

#include "session/state.hpp"

#include <span>

namespace troupe::session {

/// What a log lacks.
enum class difference_kind : std::uint8_t {
  missing, ///< an event that must be there isn't
  place,   ///< an event stands elsewhere than its append and its command say
  form,    ///< a payload isn't one of its type
  decided, ///< the machine decides otherwise
  digest,  ///< an inference was shown another context
  content, ///< what is stored by content isn't there, or isn't that
  chain,   ///< all of it fits, and isn't what was committed
};
std::string_view name_of(difference_kind kind);

/// The first place where what is decided now isn't what was recorded.
struct difference {
  std::int64_t seq = 0;
  std::string expected; ///< type and payload as decided now, or a sentence
  std::string found;    ///< type and payload as recorded, or a sentence
  difference_kind kind = difference_kind::decided;
  bool operator==(const difference&) const = default;
};

/// Recovers the command and all that came in with it from the append alone, decides it on `before`, and
/// compares places, times, runs and payloads, byte for byte. Nothing if they are the same. `append` isn't
/// empty, and is decoded from the log. Of one that a fork has `cut`, only the beginning is there.
std::optional<difference> redecided_difference(
    command_kind kind, const state& before, std::span<const event> append, bool cut = false);

} // namespace troupe::session
