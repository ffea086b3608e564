// The command `troupe` on a terminal: what is typed, and what is seen.
#pragma once

#include "tests/cli/program.hpp"

#include <sys/types.h>

namespace troupe::testing {

/// False where the system has no pseudo terminals (a bare tree without /dev/pts).
bool there_are_terminals();

class terminal {
 public:
  /// `troupe --data-dir … WORDS` in the user's folder, on a terminal of its own.
  terminal(const user& who, std::vector<std::string> words);
  ~terminal();
  terminal(const terminal&) = delete;
  terminal& operator=(const terminal&) = delete;

  void type(const std::string& keys) const;
  /// Waits until `text` is seen behind what the last call found; false if it doesn't come.
  bool shows(const std::string& text);
  /// Waits for the end; the exit status, -1 if it doesn't come.
  int status();
  const std::string& seen() const { return seen_; }

 private:
  bool read_more();

  pid_t process_ = -1;
  int terminal_ = -1;
  std::string seen_;
  std::size_t found_ = 0;
};

} // namespace troupe::testing
