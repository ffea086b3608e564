// What is asked of a model that sums a conversation up, and what its answer must be like.
#pragma once

#include "messages/message.hpp"

#include <span>

namespace troupe::session {

/// A whole conversation, or the beginning of a round whose end stays as it is.
enum class summary_of { history, begun_round };

/// Tokens that a summary may have.
std::int64_t summary_tokens_max(summary_of what);

/// What the model is told to do; it has no tools. Written so that the same holds for every provider.
std::string summary_instructions(summary_of what);

/// The messages as text, so that no model takes them for its own conversation: a line says whose each is,
/// results are cut to 2,000 bytes. Big texts must have their content at hand.
std::string transcript(std::span<const message> messages);

/// What is wrong with the answer, or nothing: it is empty, it calls a tool, or it lacks a section that was
/// asked for.
std::optional<std::string> fault_of_summary(summary_of what, const std::vector<block>& answer);

/// The text of an answer in which nothing is wrong.
std::string summary_text(const std::vector<block>& answer);

/// One text out of both, where a round was cut.
std::string joined_summaries(const std::string& history, const std::string& begun_round);

} // namespace troupe::session
