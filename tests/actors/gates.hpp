// Tools whose runs stand at a gate until the test opens it, and a board that counts them.
#pragma once

#include "tools/tool_box.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>

namespace troupe::testing {

/// More than any test needs; a test that waits so long has failed.
inline constexpr std::chrono::seconds patience{30};

/// Which calls have begun, which were told to stop, which gates are open. For any number of threads.
class gate_board {
 public:
  void open(const std::string& name);
  /// False when the time is up.
  bool wait_until_begun(const std::string& name, std::size_t times = 1);
  bool wait_until_stopped(const std::string& name);
  std::size_t begun(const std::string& name) const;

  /// For tools: stands at the gate; false if the call was stopped first.
  bool pass(const std::string& name, const tools::call& call);

 private:
  struct places {
    std::map<std::string, std::size_t> begun;
    std::map<std::string, std::size_t> stopped;
    std::map<std::string, bool> open;
    std::mutex mutex;
    std::condition_variable moved;
  };
  std::shared_ptr<places> places_ = std::make_shared<places>();
};

/// `hold {"name"}` stands at the gate NAME and answers `held NAME`.
std::shared_ptr<tools::tool> make_hold(
    gate_board& gates, const std::function<void(tools::tool_spec&)>& tune = {});
/// `big {"bytes"}` answers with so many letters.
std::shared_ptr<tools::tool> make_big();
/// `boom {}` throws.
std::shared_ptr<tools::tool> make_boom();

} // namespace troupe::testing
