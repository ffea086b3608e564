// What was said to a recorded session, said again to a fork of it with another model or other instructions.
//
// Nothing is carried out: each call is answered with what the same call came to in the recording, and one
// that wasn't made there with an error that says so. The fork stays, to be looked at.
#pragma once

#include "actors/history/recording.hpp"
#include "actors/node.hpp"

namespace troupe::actors {

/// What a fork has instead; what is absent is as it was recorded.
struct dry_run_changes {
  std::optional<std::string> provider;
  std::optional<std::string> model;
  std::optional<std::string> effort;
  std::optional<std::string> instructions;
};

/// The tools of a session as a dry run has them: a client's, so that no node can carry them out, whoever
/// takes the fork. Errors: those of `tool_box::offer_of`.
result<std::vector<client_tool>> recorded_tools(const tools::tool_box& real, const options& of);

/// The options of the fork, over those that the session began with: what was changed in it since, `changes`,
/// every tool allowed. `instructions` of `now` are at hand.
json::raw options_of_dry_run(const options& began, const options& now, const std::vector<client_tool>& tools,
    const dry_run_changes& changes);

/// What the open calls of the fork came to in the recording; of one that wasn't made there, an error.
std::vector<client_result> recorded_answers(const session::state& fork, recorded_results& results);

/// An input as the fork gets it: a message of its own, which sets nothing that `changes` fixes.
accept_message said_again(accept_message input, const dry_run_changes& changes);

/// How the answers of a fork compare with the recorded ones, input by input: what was cut off in the
/// recording, and what would have come behind it, is passed over, and so is an input that had no answer of
/// its own.
struct dry_run_comparison {
  std::size_t same = 0; ///< answers from the first one on that agree
  /// Where they part; of the two only one is there where the other ended.
  std::optional<recorded_answer> recorded;
  std::optional<recorded_answer> now;
  bool parted() const { return recorded || now; }
};
dry_run_comparison compare(
    const std::vector<recorded_answer>& recorded, const std::vector<recorded_answer>& now);

/// The tokens of all answers; a number is absent where none of them has it.
usage tokens_of(const std::vector<recorded_answer>& answers);

} // namespace troupe::actors
