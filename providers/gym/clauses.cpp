// Cutting and sorting the words of a prompt.
#include "providers/gym/clauses.hpp"

#include <algorithm>
#include <cctype>

namespace troupe::providers::gym {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
      [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool has_word(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    auto end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end])))
      return true;
  }
  return false;
}

bool has_any(std::string_view text, const words& any) {
  return std::any_of(any.begin(), any.end(), [&](auto word) { return has_word(text, word); });
}

namespace {

bool is_path(std::string_view word) {
  if (word.find("://") != std::string_view::npos)
    return false;
  auto dot = word.find_last_of('.');
  return word.find('/') != std::string_view::npos
      || (dot != std::string_view::npos && dot > 0 && dot + 1 < word.size() && word.size() - dot <= 6
          && std::isalpha(static_cast<unsigned char>(word[dot + 1])) != 0);
}

bool is_number(std::string_view word) {
  if (word.starts_with('-'))
    word.remove_prefix(1);
  auto digits = std::count_if(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  auto dots = std::count(word.begin(), word.end(), '.');
  return digits > 0 && dots <= 1 && static_cast<std::size_t>(digits + dots) == word.size()
      && word.front() != '.' && word.back() != '.' && (word.size() == 1 || word[0] != '0' || word[1] == '.');
}

void sort_word(clause& to, std::string_view word) {
  constexpr std::string_view edges = ",;:!?()[]{}*";
  while (!word.empty() && edges.find(word.front()) != std::string_view::npos)
    word.remove_prefix(1);
  while (!word.empty()
      && (edges.find(word.back()) != std::string_view::npos || (word.back() == '.' && word.size() > 1)))
    word.remove_suffix(1);
  if (word.empty())
    return;
  if (is_number(word))
    to.numbers.emplace_back(word);
  else if (is_path(word))
    to.paths.emplace_back(word);
}

// A quote opens after a blank and closes before something that isn't a letter, so that "don't" isn't one.
std::size_t quote_end(std::string_view text, std::size_t at) {
  constexpr std::string_view marks = "\"'`";
  if (marks.find(text[at]) == std::string_view::npos || (at > 0 && is_word(text[at - 1])))
    return 0;
  for (auto end = text.find(text[at], at + 1); end != std::string_view::npos;
       end = text.find(text[at], end + 1))
    if (end + 1 == text.size() || !is_word(text[end + 1]))
      return end;
  return 0;
}

} // namespace

std::vector<clause> clauses_of(std::string_view text) {
  std::vector<clause> found(1);
  std::string word;
  auto end_word = [&] {
    if (lower(word) == "then" && !found.back().text.empty())
      found.emplace_back();
    else
      sort_word(found.back(), word);
    word.clear();
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (auto end = quote_end(text, at); end > 0) {
      end_word();
      auto inside = text.substr(at + 1, end - at - 1);
      found.back().quoted.emplace_back(inside);
      found.back().text.append(text.substr(at, end - at + 1));
      if (is_path(inside) && inside.find(' ') == std::string_view::npos)
        found.back().paths.emplace_back(inside);
      at = end;
      continue;
    }
    auto c = text[at];
    auto ends_sentence = (c == '.' || c == ';' || c == '!' || c == '\n')
        && (at + 1 == text.size() || std::isspace(static_cast<unsigned char>(text[at + 1])) != 0);
    found.back().text += c;
    found.back().lowered += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (std::isspace(static_cast<unsigned char>(c)) != 0 || ends_sentence)
      end_word();
    else
      word += c;
    if (ends_sentence)
      found.emplace_back();
  }
  end_word();
  return found;
}

} // namespace troupe::providers::gym
