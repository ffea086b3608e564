// What of a tool's result the context has room for, and what is kept beside it.
#pragma once

#include "messages/content.hpp"

namespace troupe::tools {

/// The text of a result that the model is shown, unless the configuration says otherwise.
inline constexpr std::size_t output_bytes_max = std::size_t{256} << 10;
/// Of what the context has no room for, so much is kept; the end of an even longer output is lost,
/// and the line that is shown in its place says so.
inline constexpr std::size_t rest_bytes_max = std::size_t{32} << 20;

struct kept_result {
  troupe::content content;
  std::optional<referenced_text> rest; ///< absent: the content is whole
};

/// `whole` with at most `bytes_max` (at least 1,024) bytes of text, cut between characters. Where
/// something is left out, the last line says how much and under which name it is kept. Pictures and
/// documents stay: their data counts against the bound of a body.
kept_result kept_within(content whole, std::size_t bytes_max);

/// The same for the answer of a call (`tool_answer`, `client_result`); details that are longer than
/// `bytes_max` give way to their size.
template <class Answer> Answer keep_within(Answer answer, std::size_t bytes_max) {
  auto kept = kept_within(std::move(answer.content), bytes_max);
  answer.content = std::move(kept.content);
  answer.rest = std::move(kept.rest);
  if (answer.details && answer.details->text.size() > bytes_max)
    answer.details->text = R"({"left_out_bytes":)" + std::to_string(answer.details->text.size()) + "}";
  return answer;
}

} // namespace troupe::tools
