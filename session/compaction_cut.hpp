// Where a compaction parts the context: what is summarized, and the tail that stays as it is.
#pragma once

#include "session/context.hpp"

#include <span>

namespace troupe::session {

/// The newest messages of this many tokens stay where there is no better place to cut.
inline constexpr std::int64_t kept_tokens = 20'000;
/// User rounds that a summary leaves alone, and results that clearing leaves, unless `keep` says otherwise.
inline constexpr std::int64_t kept_by_default = 4;

/// How much is to stay.
struct tail_wanted {
  std::int64_t rounds = kept_by_default; ///< the newest messages of the user's, with all that followed
  std::int64_t tokens_max = 0;           ///< a tail of rounds that has more is cut within a round
  std::int64_t tokens = kept_tokens;     ///< what stays then
};

/// The `seq` before the first message that stays, or nothing where there is nothing to leave out. A cut
/// never parts a call from its result, nor messages that joined together; it covers more than an earlier
/// summary.
std::optional<std::int64_t> find_cut(std::span<const context_entry> entries, const tail_wanted& wanted);

/// What a cut covers: whole rounds, and the beginning of the one that it goes through.
struct covered_messages {
  std::vector<message> history;
  std::size_t summaries = 0;        ///< at the head of the history: what an earlier compaction left
  std::vector<message> begun_round; ///< empty where the tail begins with a user's message
};
covered_messages covered_by(std::span<const context_entry> entries, std::int64_t through_seq);

} // namespace troupe::session
