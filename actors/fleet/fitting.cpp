// Names are looked up among the session's own tools, hidden or not.
#include "actors/fleet/fitting.hpp"

#include "actors/fleet/modes.hpp"
#include "actors/fleet/session_loading.hpp"
#include "messages/text.hpp"

namespace troupe::actors {

result<tools::offer> fitting_offer(const node_parts& parts, const options& wanted) {
  auto offer = offer_of(parts.tools, wanted);
  if (!offer)
    return offer;
  if (const auto fits = check_mode(parts.modes, wanted, *offer); !fits)
    return fits.error();
  if (const auto fits = check_rules(wanted, *offer); !fits)
    return fits.error();
  return offer;
}

result<void> check_rules(const options& wanted, const tools::offer& whole) {
  constexpr std::size_t told_bytes_max = 64;
  const auto rules = wanted.permissions.value_or(std::vector<permission_rule>());
  std::vector<std::string_view> names;
  for (const auto& tool : whole.all())
    names.push_back(tool->spec.name);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const auto& name = rules[i].tool;
    if (name == "*" || whole.find(name))
      continue;
    const std::string near = nearest_name(name, names.data(), names.data() + names.size());
    return problem{problem_code::invalid_input,
        "a permission rule names a tool that the session doesn't have",
        {{"/permissions/" + std::to_string(i) + "/tool",
            "`" + std::string(utf8_prefix(name, told_bytes_max)) + "` is none of the session's tools"
                + (near.empty() ? "; `*` is all of them" : "; did you mean `" + near + "`?")}}};
  }
  return {};
}

} // namespace troupe::actors
