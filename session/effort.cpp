// The order of efforts, and the budgets of a session over the usual ones.
#include "session/effort.hpp"

#include "messages/text.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::session {

namespace {

constexpr std::size_t shown_bytes_max = 64;

// Unknown ones come last: they can only have been let in by a version that knew them.
std::ptrdiff_t rank(std::string_view name) {
  return std::find(std::begin(efforts), std::end(efforts), name) - std::begin(efforts);
}

std::string names_from(std::ptrdiff_t first) {
  std::string out;
  for (auto name = std::begin(efforts) + first; name != std::end(efforts); ++name)
    out += (out.empty() ? "" : ", ") + std::string(*name);
  return out;
}

std::int64_t usual_budget(std::string_view effort) {
  if (effort == "minimal")
    return 1'024;
  if (effort == "low")
    return 2'048;
  return effort == "medium" ? 8'192 : 16'384;
}

/// The session's own number, where it gives one that can be.
std::optional<std::int64_t> own_budget(const json::value* budgets, std::string_view effort) {
  const auto* const given = budgets ? budgets->find(effort) : nullptr;
  return given ? given->as_int64() : std::nullopt;
}

void check_budget(const std::string& name, const json::value& given, std::vector<problem_at>& faults) {
  const std::string shown(utf8_prefix(name, shown_bytes_max));
  if (!is_effort(name) || name == "off")
    return faults.push_back(
        {"/thinking_budgets/" + shown, "isn't an effort that has a budget: those are " + names_from(1)});
  const auto tokens = given.as_int64();
  if (!tokens || *tokens < thinking_budget_min || *tokens > thinking_budget_max)
    faults.push_back({"/thinking_budgets/" + shown,
        "is a whole number of tokens from " + std::to_string(thinking_budget_min) + " to "
            + std::to_string(thinking_budget_max)});
}

} // namespace

bool is_effort(std::string_view name) { return rank(name) < std::ssize(efforts); }

std::string no_effort(std::string_view name) {
  return "is one of " + names_from(0) + "; it was `" + std::string(utf8_prefix(name, shown_bytes_max)) + "`";
}

std::string nearest_effort(const std::vector<std::string>& taken, const std::string& asked) {
  if (taken.empty() || !is_effort(asked))
    return asked;
  const auto wanted = rank(asked);
  const std::string* higher = nullptr;
  const std::string* lower = nullptr;
  for (const auto& one : taken) {
    if (rank(one) >= wanted && (!higher || rank(one) < rank(*higher)))
      higher = &one;
    if (rank(one) < wanted && (!lower || rank(one) > rank(*lower)))
      lower = &one;
  }
  return higher ? *higher : *lower;
}

void note_effort(inference_started& started, const std::optional<std::string>& asked,
    const std::map<std::string, provider_fact>& providers) {
  started.effort = asked;
  const auto provider = providers.find(started.provider);
  if (!asked || provider == providers.end())
    return;
  started.effort = nearest_effort(provider->second.efforts, *asked);
  if (started.effort != asked)
    started.effort_requested = asked;
}

result<void> check_thinking(const options& wanted) {
  std::vector<problem_at> faults;
  if (wanted.effort && !is_effort(*wanted.effort))
    faults.push_back({"/effort", no_effort(*wanted.effort)});
  if (wanted.thinking_budgets) {
    const auto budgets = json::parse(wanted.thinking_budgets->text);
    if (!budgets || !budgets->is(json::kind::object))
      faults.push_back({"/thinking_budgets", "expected an object of efforts and their tokens"});
    else
      for (const auto& [name, given] : budgets->members())
        check_budget(name, given, faults);
  }
  if (faults.empty())
    return {};
  std::string detail = "the options are not valid: " + faults.front().pointer + " " + faults.front().detail;
  return problem{problem_code::invalid_input, std::move(detail), std::move(faults)};
}

std::optional<std::int64_t> thinking_budget(const options& wanted, const std::optional<std::string>& effort) {
  if (!effort || *effort == "off")
    return std::nullopt;
  const std::string_view given =
      wanted.thinking_budgets ? wanted.thinking_budgets->text : std::string_view("{}");
  const auto parsed = json::parse(given); // refers to the text
  const json::value* const budgets = parsed ? &*parsed : nullptr;
  if (const auto own = own_budget(budgets, *effort))
    return own;
  if (rank(*effort) > rank("high")) // more than `high` has no number of its own
    return own_budget(budgets, "high").value_or(usual_budget("high"));
  return usual_budget(*effort);
}

} // namespace troupe::session
