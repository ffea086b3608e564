// Paths, commands, quoted text and numbers put where a schema asks for them.
#include "providers/gym/arguments.hpp"

#include <algorithm>

namespace troupe::providers::gym {

namespace {

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

} // namespace

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

} // namespace troupe::providers::gym
