// Events of runs and turns, aborts and notices.
#pragma once

#include "messages/content.hpp"

namespace troupe {

/// Why an inference, a run or a compaction failed. Codes: `rate_limit`, `overloaded`, `network`,
/// `timeout`, `quota`, `api_5xx`, `context_overflow`, `invalid_request`, `unknown`.
struct failure {
  std::string code;
  std::optional<std::int64_t> status;
  bool retryable = false;
  std::string message;
  bool operator==(const failure&) const = default;
};

enum class run_cause { message, start, continue_, hook, timer, child };
enum class turn_outcome { completed, failed, aborted, checkpoint, waiting };
enum class run_outcome_kind { completed, max_turns, max_tokens, error, aborted, output_limit, stopped };
BOOST_DESCRIBE_ENUM(run_cause, message, start, continue_, hook, timer, child)
BOOST_DESCRIBE_ENUM(turn_outcome, completed, failed, aborted, checkpoint, waiting)
BOOST_DESCRIBE_ENUM(run_outcome_kind, completed, max_turns, max_tokens, error, aborted, output_limit, stopped)

struct run_outcome {
  run_outcome_kind kind = run_outcome_kind::completed;
  std::optional<failure> error;
  std::optional<std::string> limit;
  std::optional<std::int64_t> turns;
  std::optional<std::string> by;
  bool operator==(const run_outcome&) const = default;
};

struct run_started {
  run_cause cause = run_cause::message;
  std::int64_t machine = 1;
  bool operator==(const run_started&) const = default;
};
struct turn_started {
  std::int64_t turn = 1;
  bool operator==(const turn_started&) const = default;
};
struct turn_finished {
  std::int64_t turn = 1;
  turn_outcome outcome = turn_outcome::completed;
  bool operator==(const turn_finished&) const = default;
};
struct run_finished {
  run_outcome outcome;
  bool operator==(const run_finished&) const = default;
};
struct abort_requested {
  std::string by;
  bool operator==(const abort_requested&) const = default;
};
struct notice_added {
  std::string text;
  std::string reason;
  bool operator==(const notice_added&) const = default;
};

BOOST_DESCRIBE_STRUCT(failure, (), (code, status, retryable, message))
BOOST_DESCRIBE_STRUCT(run_outcome, (), (kind, error, limit, turns, by))
BOOST_DESCRIBE_STRUCT(run_started, (), (cause, machine))
BOOST_DESCRIBE_STRUCT(turn_started, (), (turn))
BOOST_DESCRIBE_STRUCT(turn_finished, (), (turn, outcome))
BOOST_DESCRIBE_STRUCT(run_finished, (), (outcome))
BOOST_DESCRIBE_STRUCT(abort_requested, (), (by))
BOOST_DESCRIBE_STRUCT(notice_added, (), (text, reason))

} // namespace troupe
