// The contract of a tool: what it says of itself, what it is given, what it gives back.
#pragma once

#include "messages/events/tool_events.hpp"
#include "messages/options.hpp"
#include "messages/result.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

namespace troupe::tools {

/// What a tool declares. Names are `[A-Za-z0-9_-]{1,64}`.
struct tool_spec {
  std::string name;
  std::string description;
  json::raw parameters;            ///< JSON Schema (draft-07) of the arguments, an object
  std::optional<json::raw> result; ///< JSON Schema of the output's JSON, checked when given
  bool durable = false;            ///< may run again after a crash, under the same execution id
  bool idempotent = false;
  interrupted_policy on_interrupted = interrupted_policy::error;
  bool sequential = false; ///< makes a whole batch sequential
  bool shared = false;     ///< may run beside others in `batched` mode
  bool clearable = false;  ///< old outputs may be left out of a context: asking again gives them
  bool coerce = false;     ///< numbers given as strings and the like are accepted
  std::int64_t timeout_ms = 600'000;
  bool operator==(const tool_spec&) const = default;
};

/// Stops a running call: code that computes looks at `stopped`, code that waits registers a callback.
/// What a callback refers to must outlive the source, or be shared with it.
class stop_source {
 public:
  /// True once `stop` was called; from any thread.
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }
  /// Sets the flag and runs what `on_stop` registered, once.
  void stop();
  /// Runs `action` when stopped, or at once if that has happened.
  void on_stop(std::function<void()> action);

 private:
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::vector<std::function<void()>> actions_;
};

/// One attempt at one call. `execution_id` is the idempotency key, the same over every attempt;
/// `epoch` grows with each owner of the session, to fence with.
struct call {
  std::string session;
  std::string execution_id;
  std::int64_t attempt = 1;
  std::int64_t epoch = 0;
  json::raw arguments; ///< valid by the schema
  std::shared_ptr<stop_source> stop;
  std::function<void(std::string)> progress; ///< may be empty

  const std::string& idempotency_key() const { return execution_id; }
  bool cancelled() const { return stop && stop->stopped(); }
};

struct output {
  troupe::content content;
  bool is_error = false;
  std::optional<troupe::error_kind> error_kind; ///< only with `is_error`
  std::optional<json::raw> details;             ///< for people and clients, not for the model
  bool terminate = false;
  bool aborted = false; ///< stopped before it was done
};

/// A tool. `run` blocks, on a thread of its own; it must return soon after `call.stop`.
class tool {
 public:
  virtual ~tool() = default;
  virtual const tool_spec& spec() const = 0;
  /// The arguments in the form that the schema wants, from one that it wanted once: before they are checked,
  /// at each look at a call, so that the same must give the same. What it throws refuses the call with its
  /// text.
  virtual json::raw prepare_arguments(json::raw given) const { return given; }
  /// Never throws for what the world does; an exception is recorded as a failed call with its text.
  virtual output run(const call& call) = 0;
};

} // namespace troupe::tools
