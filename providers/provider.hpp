// A provider: one inference request in, the events of one attempt at answering it out.
#pragma once

#include "messages/events/inference_events.hpp"
#include "messages/message_list.hpp"
#include "messages/problem.hpp"

#include <functional>
#include <memory>

namespace troupe::providers {

/// A tool as a model is offered it.
struct offered_tool {
  std::string name;
  std::string description;
  json::raw parameters; ///< JSON Schema of an object
};

/// All that a wire format needs to write a request. Big texts have their content at hand.
struct inference_request {
  std::string inference_id;
  std::string model;
  std::optional<std::string> effort;
  std::optional<std::string> service_tier;
  std::string instructions;
  std::vector<offered_tool> tools;
  message_list messages;
  std::optional<std::int64_t> max_output_tokens;
  std::optional<double> temperature;
  bool compact = false; ///< asks for the provider's own compaction of the messages, not for an answer
  std::optional<std::int64_t> thinking_budget; ///< the effort in tokens, for a provider that wants them
};

enum class block_kind : std::uint8_t { text, thinking, tool_call, server };

/// A block begins; with it the answer has begun, and the attempt is not repeated any more.
struct block_started {
  std::int64_t index = 0; ///< ours, from 0, without holes
  block_kind kind = block_kind::text;
  std::string call_id;
  std::string name;
};

/// More of a block: text, thinking, or the argument text of a call. Always whole characters.
struct block_delta {
  std::int64_t index = 0;
  block_kind kind = block_kind::text;
  std::string text;
};

struct block_finished {
  std::int64_t index = 0;
  troupe::block block;
};

/// The end of the attempt, exactly one, the last event.
struct attempt_finished {
  inference_state state = inference_state::completed;
  std::optional<std::string>
      stop; ///< `end_turn`, `tool_use`, `max_tokens`, `stop_sequence`, `refusal`, `pause_turn`,
            ///< `content_filter`, `context_window`, or the provider's own word
  std::optional<std::string> stop_raw; ///< as the provider said it
  troupe::usage usage;
  std::optional<failure> error;
  std::optional<std::string> response_id;
  std::optional<std::string> response_model;
  std::optional<std::int64_t> retry_after_ms; ///< what the provider asked for
  bool another_key = false; ///< the key was refused, and another may be had: worth one more attempt
};

using stream_event = std::variant<block_started, block_delta, block_finished, attempt_finished>;

/// Gets the events of one attempt, in order, never two calls at once, from any thread.
using event_sink = std::function<void(std::vector<stream_event>)>;

/// One attempt that is under way. Letting go of it doesn't stop it; `cancel` does.
class attempt {
 public:
  virtual ~attempt() = default;
  /// Gives credit for `batches` more calls of the sink; without credit nothing is read from the network.
  /// An attempt begins with credit for a few calls, so it is enough to acknowledge each one.
  virtual void acknowledge(std::size_t batches) = 0;
  /// Stops at once: the connection is closed and the sink gets `attempt_finished` cancelled, if it hasn't had
  /// one.
  virtual void cancel() = 0;
};

class provider {
 public:
  virtual ~provider() = default;
  /// Begins one attempt. Never throws: what can't be sent is an `attempt_finished` with an error.
  virtual std::shared_ptr<attempt> start(inference_request request, event_sink sink) = 0;
  /// What keeps it from answering, asked of the service without an inference; waits for its answer. Absent:
  /// nothing, as far as that can be asked. Errors: `unavailable`, `invalid_input` for a key that is refused.
  virtual std::optional<problem> examine() { return std::nullopt; }
};

} // namespace troupe::providers
