// The gym's script: rules in JSON Lines that say what the model answers to which request.
#pragma once

#include "messages/json.hpp"

#include <cstdint>
#include <map>
#include <variant>

namespace troupe::providers::gym {

// -- steps: what an answer is made of, in order ---------------------------------------------------

struct say {
  std::string text;
};
struct think {
  std::string text;
};
/// A tool call. `raw_arguments` is sent as it is, so that a script can break it.
struct call_tool {
  std::string name;
  std::string arguments = "{}"; ///< JSON text
  std::string id;               ///< empty: one that the conversation doesn't have yet
};
struct wait_for {
  std::int64_t milliseconds = 0;
};
/// From here on text is cut after so many bytes, at the end of a character; 0: after words.
struct cut_text {
  std::size_t bytes = 0;
};
struct hold_at {
  std::string name;
};
/// The reason to stop; an empty one sends none at all.
struct stop_with {
  std::string reason;
};
struct report_usage {
  std::string json;
};
struct answer_error {
  int status = 500;
  std::string type;
  std::string message;
  std::optional<double> retry_after; ///< seconds
};
struct break_stream {
  std::string type;
  std::string message;
};
struct hang_up {};
struct send_garbage {
  std::string bytes;
};

using step = std::variant<say, think, call_tool, wait_for, cut_text, hold_at, stop_with, report_usage,
    answer_error, break_stream, hang_up, send_garbage>;

// -- rules ----------------------------------------------------------------------------------------

/// What a rule looks at.
struct sighting {
  std::string_view last_user_text; ///< of the newest user message that has text
  std::int64_t inference = 1;      ///< the assistant messages of the request, and one
  std::string_view model;
  bool has_tool_result = false; ///< in the newest message
};

struct condition {
  std::optional<std::string> last_user_contains;
  std::optional<std::int64_t> inference;
  std::optional<std::string> model;
  std::optional<bool> has_tool_result;
  bool holds(const sighting& seen) const;
};

struct rule {
  condition when;
  std::vector<step> reply;
  std::optional<std::int64_t> times; ///< absent: always
};

class script {
 public:
  /// Errors: `invalid_input` that names the line, the key and what may stand there.
  static result<script> parse(std::string_view json_lines);
  /// The reply of the first rule that matches and isn't used up, which this uses once.
  const std::vector<step>* next_reply(const sighting& seen);
  std::size_t size() const { return rules_.size(); }

 private:
  std::vector<rule> rules_;
};

} // namespace troupe::providers::gym
