// A line on a terminal with editing and a history: the only place that knows libedit.
#pragma once

#include "cli/line_input.hpp"

namespace troupe::cli {

class line_editor {
 public:
  /// Reads the history from the file; every line is written back to it, for its owner alone to read.
  explicit line_editor(const std::string& history_file);
  ~line_editor();
  line_editor(const line_editor&) = delete;
  line_editor& operator=(const line_editor&) = delete;

  line_input::answer read(const std::string& prompt);

 private:
  struct insides;
  void remember(const std::string& line);

  std::unique_ptr<insides> in_;
};

} // namespace troupe::cli
