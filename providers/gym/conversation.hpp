// What the gym sees of a request, whatever wire format it came in.
#pragma once

#include "messages/json.hpp"
#include "providers/gym/script.hpp"

#include <set>

namespace troupe::providers::gym {

struct seen_tool {
  std::string name;
  std::string description;
  json::raw schema;
};

struct seen_result {
  std::string tool; ///< the name of the tool that was called
  std::string text;
  bool is_error = false;
};

struct conversation {
  std::string model;
  bool stream = false;
  bool stream_usage = false; ///< the usage is asked for at the end of a stream
  bool compacts = false;     ///< a text is wanted that stands for the conversation
  std::string instructions;  ///< what stands before the conversation
  std::string last_user_text;
  std::int64_t inference = 1;
  bool has_tool_result = false;
  std::vector<seen_tool> tools;
  std::vector<seen_result> results; ///< since the last user text, in order
  std::set<std::string> call_ids;
  std::size_t prompt_bytes = 0;

  sighting seen() const { return {last_user_text, inference, model, has_tool_result}; }
  /// Words of the user begin something new: what tools said before it is done with.
  void hear(std::string_view text) {
    if (text.starts_with("<system>"))
      return;
    last_user_text = text;
    results.clear();
  }
};

/// How the service refuses.
struct service_error {
  int status = 400;
  std::string type = "invalid_request_error";
  std::string message{};
  std::string param{}; ///< the place in the request; of services that name it
  std::string code{};
};

} // namespace troupe::providers::gym
