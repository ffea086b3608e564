// Efforts: how much a model is to think, what a provider takes of them, and the tokens that they stand for
// (D-31).
#pragma once

#include "messages/options.hpp"
#include "session/inputs.hpp"

namespace troupe::session {

/// From none to most; `off` is said to the provider, no effort at all leaves it to the model.
inline constexpr std::string_view efforts[] = {"off", "minimal", "low", "medium", "high", "xhigh", "max"};

bool is_effort(std::string_view name);
/// What is said of a value that is none.
std::string no_effort(std::string_view name);

/// The one of `taken` that is nearest: the same, else the next higher, else the next lower. None listed: all
/// are taken.
std::string nearest_effort(const std::vector<std::string>& taken, const std::string& asked);

/// Notes the effort that the provider of `started` takes, and what was asked for where that is another one.
/// What was asked for stays in force: the next provider may take it.
void note_effort(inference_started& started, const std::optional<std::string>& asked,
    const std::map<std::string, provider_fact>& providers);

/// The least that providers take, and more than any model thinks.
inline constexpr std::int64_t thinking_budget_min = 1'024;
inline constexpr std::int64_t thinking_budget_max = 1'000'000;

/// What is wrong with `effort` and `thinking_budgets`. Errors: `invalid_input` with each place.
result<void> check_thinking(const options& wanted);

/// The tokens for thinking where a provider wants a number; absent for `off` and for no effort.
std::optional<std::int64_t> thinking_budget(const options& wanted, const std::optional<std::string>& effort);

} // namespace troupe::session
