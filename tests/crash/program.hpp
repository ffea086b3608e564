// A program in a process group of its own: what it says line by line, and its death.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace troupe::testing {

/// More than anything here takes; a test that waits so long has failed.
inline constexpr std::chrono::seconds patience{60};

/// Looks again and again whether it is so; false when that takes too long.
bool comes_true(const std::function<bool()>& it);

class program {
 public:
  /// Starts it with these words, the first its path. What it says on stderr is in the same lines.
  explicit program(const std::vector<std::string>& words);
  ~program();
  program(program&& other) noexcept;
  program& operator=(program&&) = delete;

  /// Reads on until a line begins so and gives it; fails the test if none comes.
  std::string expect(const std::string& beginning);
  /// The same for a line that has this anywhere in it.
  std::string expect_with(const std::string& part);
  /// All that it said so far, and what it says until it closes its output.
  std::string everything();
  void say(const std::string& line) const;
  /// SIGKILL for the whole group; returns when the program has ended.
  void kill();
  void signal(int number) const;
  /// Waits for its end by itself: its exit status, or -1 if it was killed or takes too long.
  int end();

 private:
  std::string expect_line(const std::string& what, const std::function<bool(const std::string&)>& is_it);
  bool read_more(std::chrono::steady_clock::time_point until);
  pid_t pid_ = 0;
  int told_ = -1; ///< from it
  int tell_ = -1; ///< to it
  std::string pending_;
  std::string said_;
};

} // namespace troupe::testing
