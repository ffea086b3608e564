// The walk over the file's table: sections into sections, keys into their places.
#include "config/reading.hpp"

#include "config/environment.hpp"
#include "messages/text.hpp"

#include <algorithm>

namespace troupe::config {

namespace {

constexpr std::string_view name_characters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

/// Values that the environment gave have no place in the file.
bool from_environment(const toml::node& node) { return node.source().begin.line == 0; }

std::optional<setting> value_in(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>())
    return *text;
  if (const auto number = node.value_exact<std::int64_t>())
    return *number;
  if (const auto real = node.value_exact<double>())
    return *real;
  if (const auto flag = node.value_exact<bool>())
    return *flag;
  const auto* const items = node.as_array();
  if (!items)
    return std::nullopt;
  std::vector<std::string> list;
  for (const auto& item : *items) {
    const auto text = item.value_exact<std::string>();
    if (!text)
      return std::nullopt;
    list.push_back(*text);
  }
  return list;
}

/// A list from the environment is written as in the file: ["a", "b"].
std::optional<setting> list_in(const std::string& text) {
  try {
    const auto table = toml::parse("list = " + text);
    return table.size() == 1 ? value_in(*table.get("list")) : std::nullopt;
  } catch (const toml::parse_error&) {
    return std::nullopt;
  }
}

std::optional<std::string> take(const key& one, const toml::node& node) {
  const auto given = value_in(node);
  if (from_environment(node) && given && std::holds_alternative<std::string>(*given)) {
    const auto& text = std::get<std::string>(*given);
    if (!std::holds_alternative<std::vector<std::string>*>(one.to))
      return set_text(one, text);
    const auto list = list_in(text);
    return list ? set(one, *list) : set(one, text);
  }
  return set(one, given ? *given : one.to.index() == 0 ? setting(false) : setting(""));
}

class reader {
 public:
  reader(const std::string& file, std::vector<std::string>& without_effect)
      : file_(file), without_effect_(without_effect) {}

  std::optional<problem> read(const toml::table& table, const section& known) {
    for (const auto& name : order(table, known)) {
      const std::string path = known.name.empty() ? name : known.name + "." + name;
      if (auto wrong = read_one(*table.get(name), known, name, path))
        return wrong;
    }
    return std::nullopt;
  }

 private:
  std::optional<problem> read_one(
      const toml::node& node, const section& known, const std::string& name, const std::string& path) {
    const auto one = std::find_if(
        known.keys.begin(), known.keys.end(), [&](const key& each) { return each.name == name; });
    if (one != known.keys.end()) {
      if (const auto wrong = take(*one, node))
        return bad(node, path, "`" + path + "`: " + *wrong);
      if (!one->in_force)
        without_effect_.push_back(path);
      return std::nullopt;
    }
    const auto fixed = std::find_if(known.sections.begin(), known.sections.end(),
        [&](const section& each) { return last_name(each) == name; });
    if (fixed == known.sections.end() && !known.named)
      return bad(node, path, unknown(name, known));
    const auto* const table = node.as_table();
    if (!table)
      return bad(node, path, "`" + path + "` is a section: write it as [" + path + "]");
    if (fixed != known.sections.end())
      return read(*table, *fixed);
    if (name.empty() || name.size() > 64 || name.find_first_not_of(name_characters) != name.npos)
      return bad(node, path, "`" + name + "` is no name: letters, digits, `.`, `_` and `-`, at most 64");
    return read(*table, known.named(name));
  }

  /// Sections in the order of the table of keys: a tenant begins with what [limits] says.
  static std::vector<std::string> order(const toml::table& table, const section& known) {
    std::vector<std::string> names;
    for (const auto& [name, node] : table)
      names.emplace_back(name.str());
    std::stable_sort(names.begin(), names.end(),
        [&](const auto& left, const auto& right) { return place_of(left, known) < place_of(right, known); });
    return names;
  }
  static std::ptrdiff_t place_of(const std::string& name, const section& known) {
    return std::find_if(known.sections.begin(), known.sections.end(), [&](const section& each) {
      return last_name(each) == name;
    }) - known.sections.begin();
  }

  static std::string unknown(const std::string& name, const section& known) {
    std::vector<std::string_view> names;
    for (const auto& each : known.keys)
      names.push_back(each.name);
    for (const auto& each : known.sections)
      names.push_back(last_name(each));
    const std::string near = nearest_name(name, names.data(), names.data() + names.size());
    return "unknown key `" + name + "`" + (near.empty() ? "" : "; did you mean `" + near + "`?")
        + (known.name.empty() ? "" : " in [" + known.name + "]");
  }

  problem bad(const toml::node& node, const std::string& path, const std::string& why) const {
    const std::string place =
        from_environment(node) ? variable_of(path) : file_ + ":" + std::to_string(node.source().begin.line);
    return {problem_code::invalid_input, place + ": " + why, {}};
  }

  const std::string& file_;
  std::vector<std::string>& without_effect_;
};

} // namespace

std::optional<problem> read(const toml::table& table, const section& known, const std::string& file,
    std::vector<std::string>& without_effect) {
  return reader(file, without_effect).read(table, known);
}

} // namespace troupe::config
