// What a session is opened with.
#pragma once

#include "messages/events/queue_events.hpp"
#include "messages/options.hpp"
#include <troupe/tool.hpp>

namespace troupe {

/// The options of a session (docs/options.md says what each means and its bounds). What is absent gets the
/// default; of a session that exists the options stay, and only its tools are given anew.
struct agent_options {
  std::string id{}; ///< `[A-Za-z0-9][A-Za-z0-9._-]{0,127}`; empty: one is made up
  std::optional<std::string> provider{};
  std::optional<std::string> model{};
  std::optional<std::string> effort{};
  std::optional<std::string> service_tier{};
  std::string instructions{};
  std::vector<agent_tool> tools{};
  std::optional<std::string> mode{};
  std::optional<std::vector<permission_rule>> permissions{};
  std::optional<compaction_options> compaction{};
  std::optional<output_bounds> output_limit{};
  std::optional<std::int64_t> max_output_tokens{};
  std::optional<double> temperature{};
  std::optional<json::raw> thinking_budgets{}; ///< JSON
  queue_mode steering_mode = queue_mode::one_at_a_time;
  queue_mode send_mode = queue_mode::one_at_a_time;
  execution_mode tool_execution = execution_mode::parallel;
  std::int64_t max_turns = 0;                ///< inferences a run; 0: no limit
  std::optional<std::int64_t> max_retries{}; ///< of one inference; absent: as its provider is configured
  std::string on_failed_effect = "record";
  std::string retention = "log";
  std::optional<json::raw> metadata{}; ///< JSON
};

} // namespace troupe
