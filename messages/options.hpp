// The options of a session (docs/api), and the tools that its client carries out.
#pragma once

#include "messages/content.hpp"

namespace troupe {

enum class queue_mode { one_at_a_time, all };
enum class permission { allow, ask, deny };
enum class execution_mode { parallel, sequential, batched };
enum class interrupted_policy { error, rerun, ask };
enum class compaction_strategy { provider, summarize, clear_tool_results };
BOOST_DESCRIBE_ENUM(queue_mode, one_at_a_time, all)
BOOST_DESCRIBE_ENUM(permission, allow, ask, deny)
BOOST_DESCRIBE_ENUM(execution_mode, parallel, sequential, batched)
BOOST_DESCRIBE_ENUM(interrupted_policy, error, rerun, ask)
BOOST_DESCRIBE_ENUM(compaction_strategy, provider, summarize, clear_tool_results)

/// One rule of a session's permission policy; the first that names the tool (or `*`) decides.
struct permission_rule {
  std::string tool;
  permission decision = permission::allow;
  std::optional<std::string> reason;
  bool operator==(const permission_rule&) const = default;
};
BOOST_DESCRIBE_STRUCT(permission_rule, (), (tool, decision, reason))

/// A tool that whoever holds the API carries out.
struct client_tool {
  std::string name;
  std::string description;
  json::raw parameters;
  std::optional<json::raw> result;
  std::optional<std::string> execution;
  std::optional<std::string> concurrency;
  std::optional<bool> idempotent;
  std::optional<bool> durable;
  std::optional<interrupted_policy> on_interrupted;
  std::optional<std::int64_t> timeout_ms;
  bool operator==(const client_tool&) const = default;
};
BOOST_DESCRIBE_STRUCT(client_tool, (),
    (name, description, parameters, result, execution, concurrency, idempotent, durable, on_interrupted,
        timeout_ms))

/// How the context is made smaller.
struct compaction_options {
  compaction_strategy strategy = compaction_strategy::summarize;
  std::optional<std::int64_t> threshold_tokens; ///< above it by itself; absent: only when it is asked for
  /// The newest user rounds that a summary leaves alone, or the newest results that clearing leaves.
  std::optional<std::int64_t> keep;
  bool operator==(const compaction_options&) const = default;
};
BOOST_DESCRIBE_STRUCT(compaction_options, (), (strategy, threshold_tokens, keep))

/// What one run may put into the context; absent: without a bound.
struct output_bounds {
  std::optional<std::int64_t> max_messages;
  std::optional<std::int64_t> max_source_bytes;
  bool operator==(const output_bounds&) const = default;
};
BOOST_DESCRIBE_STRUCT(output_bounds, (), (max_messages, max_source_bytes))

/// The options as the log keeps them: `id`, what was asked for, and the defaults that shape
/// decisions filled in. The order of the members is the order of the keys.
struct options {
  std::string id;
  std::optional<std::string> provider;
  std::optional<std::string> model;
  std::optional<std::string> effort;
  std::optional<std::string> service_tier;
  std::optional<large_text> instructions;
  std::optional<std::vector<std::string>> tools;
  std::optional<std::vector<client_tool>> client_tools;
  std::optional<json::raw> mode;
  std::optional<std::vector<permission_rule>> permissions;
  std::optional<compaction_options> compaction;
  std::optional<output_bounds> output_limit;
  std::optional<std::int64_t> max_output_tokens;
  std::optional<double> temperature;
  std::optional<json::raw> output_schema;
  std::optional<json::raw> thinking_budgets;
  queue_mode steering_mode = queue_mode::one_at_a_time;
  queue_mode send_mode = queue_mode::one_at_a_time;
  execution_mode tool_execution = execution_mode::parallel;
  std::int64_t max_turns = 0;   ///< inferences a run; 0: no limit
  std::int64_t max_retries = 2; ///< of one inference, before anything of its answer has come
  std::string on_failed_effect = "record";
  std::string retention = "log";
  std::optional<json::raw> metadata;
  bool operator==(const options&) const = default;
};
BOOST_DESCRIBE_STRUCT(options, (),
    (id, provider, model, effort, service_tier, instructions, tools, client_tools, mode, permissions,
        compaction, output_limit, max_output_tokens, temperature, output_schema, thinking_budgets,
        steering_mode, send_mode, tool_execution, max_turns, max_retries, on_failed_effect, retention,
        metadata))

} // namespace troupe
