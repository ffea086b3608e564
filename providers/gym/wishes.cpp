// Words to wishes. A prompt is cut into clauses at "then", "and then" and sentence ends; each clause
// asks for one thing at most, and quoted text, paths and numbers in it become the arguments.
#include "providers/gym/wishes.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace troupe::providers::gym {

namespace {

using words = std::vector<std::string_view>;

constexpr std::size_t wishes_max = 8;

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

/// A stretch of the prompt with what is quoted in it.
struct clause {
  std::string text;
  std::string lowered; ///< without what is quoted
  std::vector<std::string> quoted;
  std::vector<std::string> paths;
  std::vector<std::string> numbers;
};

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

// -- kinds of tools -------------------------------------------------------------------------------

enum class trade { none, read, write, edit, list, search, shell };

trade trade_of(std::string_view tool_name) {
  auto name = lower(tool_name);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_word(c); }, ' ');
  if (has_any(name, {"shell", "bash", "sh", "exec", "execute", "command", "terminal"}))
    return trade::shell;
  if (has_any(name, {"edit", "replace", "patch"}))
    return trade::edit;
  if (has_any(name, {"write", "create"}) && !has_any(name, {"dir", "directory"}))
    return trade::write;
  if (has_any(name, {"list", "ls", "dir"}))
    return trade::list;
  if (has_any(name, {"search", "grep", "find"}))
    return trade::search;
  if (has_any(name, {"read", "cat", "view", "open"}))
    return trade::read;
  return trade::none;
}

trade trade_asked(const clause& said) {
  const auto& text = said.lowered;
  auto path = !said.paths.empty();
  if (path && has_any(text, {"replace", "edit", "change", "substitute"}) && said.quoted.size() >= 2)
    return trade::edit;
  if (path && has_any(text, {"write", "create", "save", "put"}))
    return trade::write;
  if (has_any(text, {"run", "execute", "shell"}))
    return trade::shell;
  if (has_any(text, {"search", "grep", "look"}) && !said.quoted.empty())
    return trade::search;
  if (has_any(text, {"list", "ls"}) || has_any(text, {"which files", "what files"}))
    return trade::list;
  if (path
      && has_any(text,
          {"read", "show", "open", "cat", "print", "display", "contents", "content", "what is in",
              "what's in", "summarize", "summarise", "look", "says", "say"}))
    return trade::read;
  return trade::none;
}

// -- arguments ------------------------------------------------------------------------------------

/// Without the marks and blanks that end a sentence.
std::string without_end(std::string text) {
  while (!text.empty() && std::string_view(" .!?\n").find(text.back()) != std::string_view::npos)
    text.pop_back();
  return text;
}

std::string command_of(const clause& said) {
  if (!said.quoted.empty())
    return said.quoted.front();
  auto words_before = {"command", "execute", "run", "shell"};
  for (std::string_view before : words_before) {
    auto at = lower(said.text).find(before);
    if (at == std::string::npos)
      continue;
    auto rest = said.text.substr(at + before.size());
    auto first = rest.find_first_not_of(" \t:");
    if (first == std::string::npos)
      continue;
    rest = without_end(rest.substr(first));
    for (std::string_view where : {" in the shell", " in a shell", " in bash", " for me", " please"})
      if (rest.ends_with(where))
        rest.resize(rest.size() - where.size());
    if (!rest.empty())
      return rest;
  }
  return "true";
}

// What is to be written: quoted, or after a word that announces it.
std::string content_of(const clause& said, const std::string& path) {
  for (const auto& quoted : said.quoted)
    if (quoted != path)
      return quoted;
  auto lowered = lower(said.text);
  for (std::string_view before :
      {"containing ", "saying ", "with the text ", "with the content ", "with ", "content ", ": "})
    if (auto at = lowered.find(before); at != std::string::npos)
      return without_end(said.text.substr(at + before.size()));
  auto start = lowered.find("write ");
  auto end = lowered.find(" to ");
  if (start != std::string::npos && end != std::string::npos && end > start + 6)
    return said.text.substr(start + 6, end - start - 6);
  return "written by the gym's model";
}

/// Hands out what a clause holds, each piece once.
class supply {
 public:
  explicit supply(const clause& said) : said_(said) {}
  std::string next(const std::vector<std::string>& from, std::size_t& at, std::string otherwise) const {
    return at < from.size() ? from[at++] : std::move(otherwise);
  }
  std::string number() { return next(said_.numbers, numbers_, "0"); }
  std::string path() { return next(said_.paths, paths_, "."); }
  std::string quoted() { return next(said_.quoted, quoted_, tail()); }

 private:
  // the words after the last "in", "for", "of" or "to", else the whole clause
  std::string tail() const {
    auto lowered = lower(said_.text);
    std::size_t from = 0;
    for (std::string_view before : {" in ", " for ", " of ", " to ", " about "})
      if (auto at = lowered.rfind(before); at != std::string::npos)
        from = std::max(from, at + before.size());
    return without_end(said_.text.substr(from));
  }

  const clause& said_;
  std::size_t numbers_ = 0, paths_ = 0, quoted_ = 0;
};

bool names_any(std::string_view property, const words& any) {
  auto name = lower(property);
  return std::any_of(any.begin(), any.end(), [&](auto part) { return name.find(part) != std::string::npos; });
}

class filler {
 public:
  filler(const clause& said, trade kind) : said_(said), kind_(kind), left_(said) {}

  /// Absent: the property is better left out.
  std::optional<std::string> value_of(std::string_view name, const json::value& schema, bool required) {
    if (kind_ != trade::none)
      if (auto known = by_trade(name))
        return json::quote(*known);
    if (!required && kind_ != trade::none)
      return std::nullopt;
    if (const auto* options = schema.find("enum"); options != nullptr && !options->items().empty()) {
      for (const auto& option : options->items())
        if (!option.as_string().empty() && has_word(said_.lowered, lower(option.as_string())))
          return std::string(option.source());
      return std::string(options->items().front().source());
    }
    const auto* type = schema.find("type");
    auto is = type != nullptr ? type->as_string() : std::string();
    if (is == "number")
      return left_.number();
    if (is == "integer") {
      auto number = left_.number();
      return number.substr(0, number.find('.'));
    }
    if (is == "boolean")
      return "true";
    if (is == "array")
      return "[]";
    if (is == "object")
      return "{}";
    return json::quote(names_any(name, {"path", "file", "dir"}) ? left_.path() : left_.quoted());
  }

 private:
  std::optional<std::string> by_trade(std::string_view name) {
    auto path = said_.paths.empty() ? std::string(".") : said_.paths.front();
    if (names_any(name, {"old", "search_text", "find"}) && kind_ == trade::edit)
      return without_path(0);
    if (names_any(name, {"new", "replace"}) && kind_ == trade::edit)
      return without_path(1);
    if (names_any(name, {"command", "cmd", "script"}) && kind_ == trade::shell)
      return command_of(said_);
    if (names_any(name, {"pattern", "query", "text", "regex"}) && kind_ == trade::search)
      return without_path(0);
    if (names_any(name, {"content", "text", "data"}) && kind_ == trade::write)
      return content_of(said_, path);
    if (names_any(name, {"path", "file", "dir"}) && kind_ != trade::shell)
      return path;
    return std::nullopt;
  }

  std::string without_path(std::size_t index) const {
    for (const auto& quoted : said_.quoted) {
      if (std::find(said_.paths.begin(), said_.paths.end(), quoted) != said_.paths.end())
        continue;
      if (index-- == 0)
        return quoted;
    }
    return {};
  }

  const clause& said_;
  trade kind_;
  supply left_;
};

std::string arguments_for(const seen_tool& tool, const clause& said, trade kind) {
  json::writer out;
  out.begin_object();
  auto schema = json::parse(tool.schema.text);
  const auto* properties = schema ? schema->find("properties") : nullptr;
  if (properties != nullptr) {
    filler fill(said, kind);
    const auto* needed = schema->find("required");
    for (const auto& [name, property] : properties->members()) {
      auto required = needed != nullptr
          && std::any_of(needed->items().begin(), needed->items().end(),
              [&](const auto& one) { return one.as_string() == name; });
      if (auto value = fill.value_of(name, property, required))
        out.key(name).raw_text(*value);
    }
  }
  out.end_object();
  return out.take();
}

// -- tools of any kind ----------------------------------------------------------------------------

// A tool is asked for by its name, or by all the words of its name that mean something.
bool names_tool(const clause& said, const seen_tool& tool) {
  auto name = lower(tool.name);
  if (has_word(said.lowered, name)
      || std::find(said.quoted.begin(), said.quoted.end(), tool.name) != said.quoted.end())
    return true;
  constexpr std::array<std::string_view, 4> signs{"+", "-", "*", "/"};
  const std::array<words, 4> operations{words{"add", "sum", "plus"}, words{"subtract", "minus"},
      words{"multiply", "times", "product"}, words{"divide"}};
  for (std::size_t i = 0; i < signs.size(); ++i)
    if (said.numbers.size() >= 2 && said.lowered.find(" " + std::string(signs[i]) + " ") != std::string::npos
        && has_any(name, operations[i]))
      return true;
  static const words filling{"get", "set", "do", "the", "a", "tool", "fetch", "current", "of", "to", "make"};
  std::size_t meant = 0, heard = 0;
  for (std::size_t at = 0; at < name.size();) {
    auto end = std::min(name.find_first_of("_-", at), name.size());
    auto word = std::string_view(name).substr(at, end - at);
    at = end + 1;
    if (word.empty() || std::find(filling.begin(), filling.end(), word) != filling.end())
      continue;
    ++meant;
    heard += has_word(said.lowered, word);
  }
  return meant > 0 && meant == heard;
}

const seen_tool* tool_for(const clause& said, const std::vector<seen_tool>& tools, trade& kind) {
  for (const auto& tool : tools)
    if (has_word(said.lowered, lower(tool.name))) {
      kind = trade_of(tool.name);
      return &tool;
    }
  auto asked = trade_asked(said);
  if (asked != trade::none)
    for (const auto& tool : tools)
      if (trade_of(tool.name) == asked) {
        kind = asked;
        return &tool;
      }
  kind = trade::none;
  for (const auto& tool : tools)
    if (names_tool(said, tool))
      return &tool;
  return nullptr;
}

} // namespace

std::vector<wish> find_wishes(std::string_view text, const std::vector<seen_tool>& tools) {
  std::vector<wish> found;
  for (const auto& said : clauses_of(text)) {
    auto kind = trade::none;
    const auto* tool = tool_for(said, tools, kind);
    if (tool != nullptr && found.size() < wishes_max)
      found.push_back({tool->name, arguments_for(*tool, said, kind)});
  }
  return found;
}

} // namespace troupe::providers::gym
