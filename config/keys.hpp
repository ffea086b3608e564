// The tables of keys: what the configuration may hold, where it goes, and what is a good value.
#pragma once

#include "config/config.hpp"

#include <functional>
#include <limits>
#include <string_view>
#include <variant>

namespace troupe::config {

using target = std::variant<std::string*, std::int64_t*, double*, bool*, std::vector<std::string>*>;

/// Says what is wrong with a value: the rule that it breaks.
using rule = std::optional<std::string> (*)(const std::string& value);

struct key {
  std::string_view name;
  target to;
  std::int64_t least = 0; ///< of a number
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::vector<std::string_view> words{}; ///< a text must be one of them, if there are any
  rule good = nullptr;
  bool secret = false;  ///< stands in no message; the environment may name a file that holds it
  bool in_force = true; ///< false: read and checked, but nothing obeys it yet
};

/// What one table of the file may hold.
struct section {
  std::string name; ///< as it is written in brackets
  std::vector<key> keys{};
  std::vector<section> sections{};
  /// Makes the section for a name that is free to choose, as in `[providers.NAME]`.
  std::function<section(const std::string& name)> named{};
};

/// The whole file, writing into `to`, which must outlive it.
section sections_of(configuration& to);

/// The last part of a section's name.
std::string_view last_name(const section& table);

/// A value as the file has it.
using setting = std::variant<std::string, std::int64_t, double, bool, std::vector<std::string>>;

/// Gives the key a value. Absent if all is well, else what is wrong with it.
std::optional<std::string> set(const key& one, const setting& given);
/// The same from the environment, where every value is text; a list is written as in the file.
std::optional<std::string> set_text(const key& one, const std::string& text);

/// The value that a key has now, as TOML writes it.
std::string value_of(const key& one);

} // namespace troupe::config
