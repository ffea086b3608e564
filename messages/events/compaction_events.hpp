// Events that change what the context shows of the past.
#pragma once

#include "messages/events/inference_events.hpp"

namespace troupe {

struct context_reset {
  std::string reason; ///< `incompatible` or `requested`
  std::optional<large_text> handoff;
  bool operator==(const context_reset&) const = default;
};

/// One call, as events name it.
struct call_ref {
  std::string inference_id;
  std::int64_t index = 0;
  auto operator<=>(const call_ref&) const = default;
};

struct context_cleared {
  std::string compaction_id;
  std::int64_t before_seq = 0;
  std::vector<call_ref> calls;
  bool operator==(const context_cleared&) const = default;
};

struct context_trimmed {
  std::int64_t through_seq = 0;
  std::string anchor;                   ///< the chain there, in hexadecimal
  std::optional<referenced_text> state; ///< what the log goes on from (session/carried_state.hpp)
  bool operator==(const context_trimmed&) const = default;
};

struct compaction_started {
  std::string compaction_id;
  std::string strategy;
  std::int64_t through_seq = 0;
  std::string reason;
  bool operator==(const compaction_started&) const = default;
};

/// A message that stands for what a compaction replaced.
struct replacement_message {
  std::string role;
  troupe::content content;
  bool operator==(const replacement_message&) const = default;
};

struct compaction_finished {
  std::string compaction_id;
  std::int64_t through_seq = 0;
  std::vector<replacement_message> replacement;
  std::optional<troupe::usage> usage;
  std::optional<std::int64_t> tokens_before;
  std::optional<std::int64_t> tokens_after;
  bool operator==(const compaction_finished&) const = default;
};

struct compaction_failed {
  std::string compaction_id;
  failure error;
  std::optional<troupe::usage> usage;
  bool operator==(const compaction_failed&) const = default;
};

BOOST_DESCRIBE_STRUCT(context_reset, (), (reason, handoff))
BOOST_DESCRIBE_STRUCT(call_ref, (), (inference_id, index))
BOOST_DESCRIBE_STRUCT(context_cleared, (), (compaction_id, before_seq, calls))
BOOST_DESCRIBE_STRUCT(context_trimmed, (), (through_seq, anchor, state))
BOOST_DESCRIBE_STRUCT(compaction_started, (), (compaction_id, strategy, through_seq, reason))
BOOST_DESCRIBE_STRUCT(replacement_message, (), (role, content))
BOOST_DESCRIBE_STRUCT(
    compaction_finished, (), (compaction_id, through_seq, replacement, usage, tokens_before, tokens_after))
BOOST_DESCRIBE_STRUCT(compaction_failed, (), (compaction_id, error, usage))

} // namespace troupe
