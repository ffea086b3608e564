// A prompt cut into clauses, with the words, quotes, paths and numbers of each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe::providers::gym {

using words = std::vector<std::string_view>;

/// A stretch of the prompt with what is quoted in it.
struct clause {
  std::string text;
  std::string lowered; ///< without what is quoted
  std::vector<std::string> quoted;
  std::vector<std::string> paths;
  std::vector<std::string> numbers;
};

/// The clauses of `text`: they end at "then" and with each sentence.
std::vector<clause> clauses_of(std::string_view text);

std::string lower(std::string_view text);
bool is_word(char c);
/// True if `word` stands in `text` by itself; a word may be several.
bool has_word(std::string_view text, std::string_view word);
bool has_any(std::string_view text, const words& any);

} // namespace troupe::providers::gym
