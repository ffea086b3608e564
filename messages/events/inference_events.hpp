// Events of one request to a provider and its answer.
#pragma once

#include "messages/block.hpp"
#include "messages/events/run_events.hpp"

namespace troupe {

/// Tokens and cost; an absent number is unknown, never 0, and is written as null.
/// `input_tokens` is the whole prompt with its cached part.
struct usage {
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> output_tokens;
  std::optional<std::int64_t> cache_read_tokens;
  std::optional<std::int64_t> cache_write_tokens;
  std::optional<std::int64_t> reasoning_tokens;
  std::optional<double> cost_usd;
  std::optional<json::raw> prices;
  bool operator==(const usage&) const = default;
};

enum class inference_state { completed, error, cancelled };
BOOST_DESCRIBE_ENUM(inference_state, completed, error, cancelled)

struct inference_started {
  std::string inference_id;
  std::string provider;
  std::string model;
  std::optional<std::string> effort;
  std::optional<std::string> effort_requested;
  std::optional<std::string> service_tier;
  std::int64_t context_seq = 0;
  std::string digest;
  referenced_text instructions;
  referenced_text tools;
  std::optional<std::string> request_digest;
  bool operator==(const inference_started&) const = default;
};

struct assistant_block {
  std::string inference_id;
  std::int64_t index = 0;
  troupe::block block;
  bool operator==(const assistant_block&) const = default;
};

struct inference_finished {
  std::string inference_id;
  inference_state state = inference_state::completed;
  std::optional<std::string> stop;
  std::optional<std::string> stop_raw;
  troupe::usage usage;
  std::int64_t retries = 0;
  std::optional<failure> error;
  std::optional<std::string> response_id;
  std::optional<std::string> response_model;
  bool operator==(const inference_finished&) const = default;
};

struct output_voided {
  std::string inference_id;
  std::string reason;
  bool operator==(const output_voided&) const = default;
};

BOOST_DESCRIBE_STRUCT(usage, (),
    (input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_usd, prices))
BOOST_DESCRIBE_STRUCT(inference_started, (),
    (inference_id, provider, model, effort, effort_requested, service_tier, context_seq, digest, instructions,
        tools, request_digest))
BOOST_DESCRIBE_STRUCT(assistant_block, (), (inference_id, index, block))
BOOST_DESCRIBE_STRUCT(inference_finished, (),
    (inference_id, state, stop, stop_raw, usage, retries, error, response_id, response_model))
BOOST_DESCRIBE_STRUCT(output_voided, (), (inference_id, reason))

} // namespace troupe
