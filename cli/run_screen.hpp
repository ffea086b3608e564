// What a run shows: the answer on stdout as it comes, everything else on stderr.
#pragma once

#include "actors/stream_reading.hpp"
#include "messages/event.hpp"
#include "session/state.hpp"

#include <map>

namespace troupe::cli {

class run_screen {
 public:
  explicit run_screen(bool as_json) : as_json_(as_json) {}
  /// Shows one item. Returns the event if it was one that is committed and could be read.
  std::optional<event> show(const actors::stream_item& item);
  /// The names of calls that were requested before anything was shown.
  void know(const std::vector<session::call_state>& calls);
  /// Ends a line that the answer has left open.
  void end_line();

 private:
  void show_event(const event& happened);
  void show_delta(const actors::live_delta& delta);
  void print(std::string_view text);
  void note(const std::string& line);

  bool as_json_;
  bool line_open_ = false;
  std::map<std::pair<std::string, std::int64_t>, std::size_t> printed_; ///< bytes of each text block
  std::map<std::string, std::string> tools_;                            ///< names by execution
};

} // namespace troupe::cli
