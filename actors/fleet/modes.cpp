// Reading the option `mode`, and the check of what it names.
#include "actors/fleet/modes.hpp"

#include "messages/json_reading.hpp"
#include "messages/text.hpp"

namespace troupe::actors {

namespace {

// More than a session can have tools.
constexpr std::size_t tools_max = 1'000;
constexpr std::size_t name_bytes_max = 64;

/// A mode that a session brings along.
struct given_mode {
  std::string name;
  std::vector<std::string> tools;
};
BOOST_DESCRIBE_STRUCT(given_mode, (), (name, tools))

problem bad_mode(std::string detail, std::vector<problem_at> places = {}) {
  if (places.empty())
    places.push_back({"/mode", detail});
  return {problem_code::invalid_input, "the mode is no good: " + std::move(detail), std::move(places)};
}

std::string did_you_mean(const std::string& name, const std::vector<std::string_view>& known) {
  const std::string near = nearest_name(name, known.data(), known.data() + known.size());
  return near.empty() ? std::string() : "; did you mean `" + near + "`?";
}

result<given_mode> configured(const configured_modes& modes, const std::string& name) {
  const auto found = modes.find(name);
  if (found != modes.end())
    return given_mode{name, found->second};
  std::vector<std::string_view> names;
  for (const auto& [known, tools] : modes)
    names.push_back(known);
  std::string near = did_you_mean(name, names);
  if (near.empty())
    near = "; configure it under [modes." + std::string(utf8_prefix(name, name_bytes_max)) + "] first";
  return bad_mode("unknown mode `" + std::string(utf8_prefix(name, name_bytes_max)) + "`" + near);
}

result<given_mode> mode_of(const configured_modes& modes, const json::raw& option) {
  const auto parsed = json::parse(option.text);
  if (!parsed)
    return parsed.error();
  if (parsed->is(json::kind::string))
    return configured(modes, parsed->as_string());
  if (!parsed->is(json::kind::object))
    return bad_mode("expected the name of a configured mode, or {name, tools}");
  given_mode given;
  json::reader reader(true);
  reader.at("mode", [&] { reader.get(*parsed, given); });
  if (!reader.faults().empty())
    return bad_mode("expected the name of a configured mode, or {name, tools}", reader.faults());
  if (given.name.empty() || given.name.size() > name_bytes_max)
    return bad_mode("its name has 1 to " + std::to_string(name_bytes_max) + " bytes",
        {{"/mode/name", "has 1 to " + std::to_string(name_bytes_max) + " bytes"}});
  if (given.tools.size() > tools_max)
    return bad_mode("it names more than " + std::to_string(tools_max) + " tools",
        {{"/mode/tools", "has at most " + std::to_string(tools_max) + " names"}});
  return given;
}

} // namespace

tools::offer shown_of(const configured_modes& modes, const options& wanted, const tools::offer& whole) {
  if (!wanted.mode)
    return whole;
  const auto mode = mode_of(modes, *wanted.mode);
  return mode ? whole.only(mode->tools) : tools::offer();
}

result<void> check_mode(const configured_modes& modes, const options& wanted, const tools::offer& whole) {
  if (!wanted.mode)
    return {};
  const auto mode = mode_of(modes, *wanted.mode);
  if (!mode)
    return mode.error();
  std::vector<std::string_view> offered;
  for (const auto& tool : whole.all())
    offered.push_back(tool->spec.name);
  for (const auto& name : mode->tools)
    if (!whole.find(name))
      return bad_mode("`" + mode->name + "` names the tool `" + std::string(utf8_prefix(name, name_bytes_max))
          + "`, which the session doesn't have among its " + "`tools` and `client_tools`"
          + did_you_mean(name, offered));
  return {};
}

result<void> find_mode(const configured_modes& modes, const options& wanted) {
  if (!wanted.mode)
    return {};
  const auto mode = mode_of(modes, *wanted.mode);
  return mode ? result<void>() : mode.error();
}

} // namespace troupe::actors
