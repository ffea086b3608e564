// `--with`: what a dry run has instead.
#include "cli/dry_run.hpp"
#include "messages/text.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

namespace troupe::cli {

namespace {

constexpr std::array<std::string_view, 4> changeable{"provider", "model", "effort", "instructions"};

problem bad_change(const std::string& key) {
  const std::string near = nearest_name(key, changeable.data(), changeable.data() + changeable.size());
  return {problem_code::invalid_input,
      "`--with` takes provider=…, model=…, effort=… and instructions=…, not `" + key + "`"
          + (near.empty() ? "" : "; did you mean `" + near + "`?"),
      {}};
}

/// Where a comma is followed by a key that can be changed, or by none at all.
std::size_t end_of_value(const std::string& text, std::size_t from) {
  for (auto comma = text.find(',', from); comma != std::string::npos; comma = text.find(',', comma + 1)) {
    const std::string_view rest = std::string_view(text).substr(comma + 1);
    for (const auto key : changeable)
      if (rest.starts_with(std::string(key) + "="))
        return comma;
  }
  return text.size();
}

result<std::string> text_of(const std::string& value) {
  if (!value.starts_with("@"))
    return to_utf8(value);
  std::ifstream in(value.substr(1), std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in)
    return problem{problem_code::invalid_input, "`" + value.substr(1) + "` can't be read", {}};
  return to_utf8(std::move(text));
}

} // namespace

result<actors::dry_run_changes> changes_of(const std::string& with) {
  actors::dry_run_changes changes;
  for (std::size_t at = 0; at <= with.size();) {
    const auto equals = with.find('=', at);
    const std::string key = with.substr(at, std::min(equals, with.size()) - at);
    if (std::ranges::find(changeable, key) == changeable.end())
      return bad_change(key);
    if (equals == std::string::npos)
      return problem{problem_code::invalid_input, "`" + key + "` wants a value: `--with " + key + "=…`", {}};
    const auto end = end_of_value(with, equals);
    const std::string value = with.substr(equals + 1, end - equals - 1);
    if (key != "instructions" && value.find(',') != std::string::npos)
      return bad_change(value.substr(value.find(',') + 1));
    if (key != "instructions" && value.empty())
      return problem{problem_code::invalid_input, "`" + key + "=` names none", {}};
    auto text = key == "instructions" ? text_of(value) : to_utf8(value);
    if (!text)
      return text.error();
    auto& to = key == "provider" ? changes.provider
        : key == "model"         ? changes.model
        : key == "effort"        ? changes.effort
                                 : changes.instructions;
    if (to)
      return problem{problem_code::invalid_input, "`" + key + "` is given twice", {}};
    to = *std::move(text);
    at = end + 1;
  }
  return changes;
}

} // namespace troupe::cli
