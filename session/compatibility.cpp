// The table of families: who may continue whose conversation.
#include "session/compatibility.hpp"

#include <algorithm>

namespace troupe::session {

namespace {

std::string type_of(const std::string& provider, const std::map<std::string, provider_fact>& providers) {
  const auto found = providers.find(provider);
  return found == providers.end() ? std::string() : found->second.type;
}

bool starts(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// A type that serves several families takes the model's.
std::string family_of(const std::string& type, std::string_view model) {
  if (type != "bedrock" && type != "gym")
    return type;
  if (starts(model, "anthropic/") || starts(model, "claude"))
    return "claude";
  if (starts(model, "openai/") || starts(model, "gpt"))
    return "codex";
  if (starts(model, "xai/") || starts(model, "grok"))
    return "grok";
  return {};
}

bool cell_lists(const std::string& left, const std::string& right, const std::string& family) {
  struct cell {
    std::string_view left, right;
    std::vector<std::string_view> families;
  };
  static const std::vector<cell> table = {{"bedrock", "bedrock", {"claude", "codex"}},
      {"bedrock", "claude", {"claude"}}, {"claude", "bedrock", {"claude"}}, {"claude", "claude", {"claude"}},
      {"codex", "codex", {"codex"}}, {"grok", "grok", {"grok"}}, {"gym", "gym", {"claude", "codex", "grok"}}};
  return std::any_of(table.begin(), table.end(), [&](const cell& c) {
    return c.left == left && c.right == right
        && std::find(c.families.begin(), c.families.end(), family) != c.families.end();
  });
}

} // namespace

effective_settings merged(const effective_settings& now, const message_settings& asked,
    const std::map<std::string, provider_fact>& providers) {
  effective_settings out = now;
  if (asked.provider && *asked.provider != now.provider) {
    out.provider = *asked.provider;
    if (const auto found = providers.find(out.provider); found != providers.end())
      out.model = found->second.default_model;
  }
  if (asked.model)
    out.model = *asked.model;
  if (asked.effort)
    out.effort = asked.effort;
  if (asked.service_tier)
    out.service_tier = asked.service_tier;
  return out;
}

bool compatible(const effective_settings& from, const effective_settings& to,
    const std::map<std::string, provider_fact>& providers) {
  if (from.provider == to.provider && from.model == to.model)
    return true;
  const std::string left = type_of(from.provider, providers);
  const std::string right = type_of(to.provider, providers);
  const std::string family = family_of(left, from.model);
  if (family.empty() || family != family_of(right, to.model) || !cell_lists(left, right, family))
    return false;
  return left != right || from.provider == to.provider;
}

} // namespace troupe::session
