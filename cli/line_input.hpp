// Lines that somebody gives: a person on a terminal, with editing and a history, or a script in a pipe.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace troupe::cli {

class line_editor;

class line_input {
 public:
  enum class outcome { line, end, interrupted };
  struct answer {
    outcome how = outcome::end;
    std::string text; ///< UTF-8, without its end
  };

  /// Reads the standard input. The history is kept in the file, where that is a terminal.
  explicit line_input(const std::string& history_file);
  ~line_input();
  line_input(const line_input&) = delete;
  line_input& operator=(const line_input&) = delete;

  bool terminal() const { return editor_ != nullptr; }
  /// Waits for a line; a terminal shows the prompt. Ctrl-C on a terminal interrupts.
  answer next(const std::string& prompt);
  /// A line that was typed on the terminal meanwhile, if it is there already.
  std::optional<std::string> typed();

 private:
  bool read_more(int patience_ms);
  std::optional<std::string> take_line(bool at_end);

  std::unique_ptr<line_editor> editor_;
  std::string waiting_;
};

} // namespace troupe::cli
