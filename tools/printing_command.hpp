// A program that prints something small and ends, as one that knows a key. Its standard error goes nowhere.
#pragma once

#include "messages/result.hpp"
#include "tools/tool.hpp"

#include <chrono>

namespace troupe::tools {

struct printing_settings {
  std::vector<std::string> words;       ///< the program, by its path or found in PATH, and its arguments
  std::vector<std::string> environment; ///< `NAME=value`
  std::chrono::milliseconds time_max{10'000};
  std::chrono::milliseconds grace{500}; ///< between the request to end and the end
  std::size_t bytes_max = 8 * 1024;
};

/// Runs in the folder that this process is in, again and again, one run at a time.
class printing_command {
 public:
  explicit printing_command(printing_settings settings) : settings_(std::move(settings)) {}

  /// Waits for the end; what it printed on its standard output. Errors: `unavailable` with how it failed, by
  /// its first word alone, and never with what it printed.
  troupe::result<std::string> text();
  /// Ends what runs, and lets nothing begin any more; from any thread.
  void stop();

 private:
  troupe::result<std::shared_ptr<stop_source>> begin();
  problem failed(const std::string& how) const;

  printing_settings settings_;
  std::mutex mutex_;
  std::shared_ptr<stop_source> running_;
  bool stopped_ = false;
};

} // namespace troupe::tools
