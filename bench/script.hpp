// What the gym answers on the stage, by the kind of turn that a prompt names.
#pragma once

#include <string>

namespace troupe::bench {

/// The kinds of turns. Simple: 40 deltas. Tool: two calls at once, then the answer. Paced: a simple
/// one with 2 ms between the deltas. Streamed: 20 deltas, one each 25 ms. Growing: 40 words that occur
/// nowhere else, up to `growing_turns_max` a session. Page: a tool that gives 4 KiB. Held: never answered.
enum class turn_kind { simple, tool, paced, streamed, growing, page, held };

inline constexpr int streamed_pace_ms = 25;
inline constexpr int growing_turns_max = 200;

const char* name_of(turn_kind kind);
/// The prompt on which the gym answers so.
std::string prompt_of(turn_kind kind);
/// The same for one of many streams at once: each begins at a moment of its own within the pace.
std::string streamed_prompt(std::size_t stream);

/// So many words of random letters, each with a blank.
std::string random_words(std::size_t count);

/// The rules in JSON Lines.
std::string gym_script();

} // namespace troupe::bench
