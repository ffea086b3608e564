// Other programs: those that serve, and those that print something and end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace troupe::bench {

/// Starts a program whose output nobody reads. The cost doesn't grow with this process's memory.
pid_t start_program(const std::vector<std::string>& words);
/// Its exit status; throws if a signal ended it.
int wait_for_end(pid_t program);

/// Runs a program and gives what it printed; throws if it fails.
std::string output_of(const std::vector<std::string>& words);

/// A program that says its address on its first line, and serves until this object goes.
class served_program {
 public:
  explicit served_program(const std::vector<std::string>& words);
  ~served_program();
  served_program(const served_program&) = delete;
  served_program& operator=(const served_program&) = delete;

  pid_t process() const { return process_; }
  const std::string& url() const { return url_; }
  std::uint16_t port() const;

 private:
  pid_t process_ = 0;
  std::string url_;
};

} // namespace troupe::bench
