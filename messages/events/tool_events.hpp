// Events of tool calls: the batch, each attempt, its receipt, and what the context shows of it.
#pragma once

#include "messages/content.hpp"

namespace troupe {

enum class tool_outcome { not_started, completed, failed, aborted, unknown };
enum class error_kind { invalid_input, precondition, transient, fatal, timeout };
enum class verdict { rerun, abandon };
BOOST_DESCRIBE_ENUM(tool_outcome, not_started, completed, failed, aborted, unknown)
BOOST_DESCRIBE_ENUM(error_kind, invalid_input, precondition, transient, fatal, timeout)
BOOST_DESCRIBE_ENUM(verdict, rerun, abandon)

struct requested_call {
  std::string execution_id;
  std::int64_t index = 0;
  std::string call_id;
  std::string name;
  bool operator==(const requested_call&) const = default;
};

struct tools_requested {
  std::string inference_id;
  std::vector<requested_call> calls;
  bool operator==(const tools_requested&) const = default;
};

struct tool_decided {
  std::string execution_id;
  std::string decision; ///< `allow` or `deny`
  std::string by;
  std::optional<std::string> reason;
  std::optional<json::raw> arguments;
  bool operator==(const tool_decided&) const = default;
};

/// `arguments` is left out where it equals the block's.
struct tool_started {
  std::string execution_id;
  std::int64_t attempt = 1;
  std::string name;
  std::optional<json::raw> arguments;
  bool client = false;
  std::optional<std::string> deadline;
  bool operator==(const tool_started&) const = default;
};

struct tool_receipt {
  std::string execution_id;
  std::int64_t attempt = 0;
  tool_outcome outcome = tool_outcome::completed;
  troupe::content content;
  bool is_error = false;
  std::optional<troupe::error_kind> error_kind;
  std::optional<json::raw> details;
  std::optional<bool> terminate;
  std::optional<referenced_text> rest; ///< of the output's text, what `content` has no room for
  bool operator==(const tool_receipt&) const = default;
};

/// `content` and `is_error` are left out where they equal the receipt's.
struct tool_result {
  std::string inference_id;
  std::int64_t index = 0;
  std::string call_id;
  std::optional<std::string> execution_id;
  std::optional<troupe::content> content;
  std::optional<bool> is_error;
  std::optional<troupe::error_kind> error_kind;
  bool operator==(const tool_result&) const = default;
};

struct tool_uncertain {
  std::string execution_id;
  std::int64_t attempt = 1;
  std::string reason;                              ///< `interrupted` or `failed`
  std::optional<std::string> error = std::nullopt; ///< what a failed one said: the first 8 KiB of its text
  bool operator==(const tool_uncertain&) const = default;
};

struct tool_resolved {
  std::string execution_id;
  troupe::verdict verdict = verdict::rerun;
  std::string by;
  std::optional<troupe::content> result;
  bool operator==(const tool_resolved&) const = default;
};

BOOST_DESCRIBE_STRUCT(requested_call, (), (execution_id, index, call_id, name))
BOOST_DESCRIBE_STRUCT(tools_requested, (), (inference_id, calls))
BOOST_DESCRIBE_STRUCT(tool_decided, (), (execution_id, decision, by, reason, arguments))
BOOST_DESCRIBE_STRUCT(tool_started, (), (execution_id, attempt, name, arguments, client, deadline))
BOOST_DESCRIBE_STRUCT(tool_receipt, (),
    (execution_id, attempt, outcome, content, is_error, error_kind, details, terminate, rest))
BOOST_DESCRIBE_STRUCT(
    tool_result, (), (inference_id, index, call_id, execution_id, content, is_error, error_kind))
BOOST_DESCRIBE_STRUCT(tool_uncertain, (), (execution_id, attempt, reason, error))
BOOST_DESCRIBE_STRUCT(tool_resolved, (), (execution_id, verdict, by, result))

} // namespace troupe
