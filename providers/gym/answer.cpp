// What the answers of all services share: how texts are cut, and ids that are new.
#include "providers/gym/answer.hpp"

#include "messages/text.hpp"

namespace troupe::providers::gym {

namespace {

constexpr std::size_t argument_piece_bytes = 32;
constexpr std::size_t bytes_a_token = 4;

// Where the next piece of a text ends: after a word with the blanks that follow it, or at the last
// whole character of so many bytes.
std::size_t piece_end(std::string_view text, std::size_t bytes) {
  if (bytes > 0) {
    auto piece = utf8_prefix(text, bytes).size();
    for (auto wider = bytes + 1; piece == 0; ++wider) // one character is wider than that
      piece = utf8_prefix(text, wider).size();
    return piece;
  }
  auto blank = text.find_first_of(" \n", 1);
  auto word = blank == std::string_view::npos ? blank : text.find_first_not_of(" \n", blank);
  return word == std::string_view::npos ? text.size() : word;
}

} // namespace

answer::answer(const conversation& asked, std::string id, std::string call_prefix)
    : model_(asked.model), id_(std::move(id)), inference_(asked.inference),
      input_tokens_(static_cast<std::int64_t>(asked.prompt_bytes / bytes_a_token)),
      call_prefix_(std::move(call_prefix)), taken_(asked.call_ids) {}

std::string_view answer::take_piece(std::string_view& text, std::size_t bytes) {
  auto piece = text.substr(0, piece_end(text, bytes));
  text.remove_prefix(piece.size());
  return piece;
}

std::string_view answer::next_argument_piece(std::string_view& text) {
  return take_piece(text, cut_ == 0 ? argument_piece_bytes : cut_);
}

std::string answer::fresh_call_id() {
  std::string id;
  do
    id = call_prefix_ + std::to_string(inference_) + "_" + std::to_string(++calls_);
  while (!taken_.insert(id).second);
  return id;
}

} // namespace troupe::providers::gym
