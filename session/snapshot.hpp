// A state that rests, as it is kept to be folded on from: everything but the text of the context, of
// which only the place where it begins is kept.
//
// A snapshot is never trusted over the log: the context that is folded again must have the digest that
// was kept, else the whole log is folded.
#pragma once

#include "session/state.hpp"

namespace troupe::session {

/// The version of the form; a snapshot of another one is passed over.
inline constexpr std::int32_t snapshot_version = 3;

/// The types of event that the context, and what waits for it, are folded from.
const std::vector<std::string>& context_events();

/// True if nothing is open: no run, no call, no compaction.
bool can_be_kept(const state& now);

/// The state as JSON text. It must be one that can be kept.
std::string keep(const state& now);

/// What was kept, before the context is there.
struct kept_state {
  state without_context;
  used_ids used; ///< of calls, over the whole log
  renamed_calls renamed;
  std::string digest; ///< of the context
  /// No message waited: but for the context, `without_context` is whole. False, too, where that isn't known.
  bool nothing_waits = false;
};
/// Errors: `corrupt` for what isn't such a text.
result<kept_state> read_kept(std::string_view text);

/// Makes the state whole again: its context is folded from the events that it is made of, one by one.
class restoring {
 public:
  explicit restoring(kept_state kept);
  /// The next of `context_events` from `context_from` up to the head.
  void fold(const event& happened);
  /// When all have been folded. Errors: `corrupt` if they don't make the context that was kept.
  result<state> done();

 private:
  kept_state kept_;
  state folded_;
};

} // namespace troupe::session
