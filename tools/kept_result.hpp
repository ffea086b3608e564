// What of a tool's result the context has room for, and what is kept beside it.
#pragma once

#include "messages/content.hpp"

namespace troupe::tools {

/// The text of a result that the model is shown, unless the configuration says otherwise.
inline constexpr std::size_t output_bytes_max = std::size_t{256} << 10;
/// Of that, what a tool of the workspace shows; the rest is for what it says of it.
inline constexpr std::size_t output_text_bytes_max = output_bytes_max - 1024;
/// The data of pictures and documents in a result; a record that a journal takes has no room for much more.
inline constexpr std::size_t output_media_bytes_max = std::size_t{16} << 20;
/// Of what the context has no room for, so much is kept; the end of an even longer output is lost,
/// and the line that is shown in its place says so.
inline constexpr std::size_t rest_bytes_max = std::size_t{32} << 20;

struct kept_result {
  troupe::content content;
  std::optional<referenced_text> rest; ///< absent: the content is whole
  bool operator==(const kept_result&) const = default;
};

/// `whole` with at most `bytes_max` (at least 1,024) bytes of text, cut between characters. Where
/// something is left out, the last line says how much and under which name it is kept. Pictures and documents
/// that are over their bound are lost, and a line says so.
kept_result kept_within(content whole, std::size_t bytes_max);

/// True if it is what `whole`, of at most `rest_bytes_max`, was once kept as, whatever the bound was then.
/// What was kept may stand by reference.
bool is_kept_form(const kept_result& kept, content whole);
bool is_kept_form(const std::optional<json::raw>& shown, const std::optional<json::raw>& whole);

/// Details that have no room, as they are kept.
json::raw size_of_details(const json::raw& details);

/// The same for the answer of a call (`tool_answer`, `client_result`); details that are longer than
/// `bytes_max` give way to their size.
template <class Answer> Answer keep_within(Answer answer, std::size_t bytes_max) {
  auto kept = kept_within(std::move(answer.content), bytes_max);
  answer.content = std::move(kept.content);
  answer.rest = std::move(kept.rest);
  if (answer.details && answer.details->text.size() > bytes_max)
    answer.details = size_of_details(*answer.details);
  return answer;
}

} // namespace troupe::tools
