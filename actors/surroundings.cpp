// The machine as it is: the one place in this room that reads a clock.
#include "actors/surroundings.hpp"

#include "actors/tool_call/tool_threads.hpp"

#include <random>

namespace troupe::actors {

namespace {

class machine final : public surroundings {
 public:
  timestamp wall_time() const override {
    return {std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now().time_since_epoch())
                .count()};
  }
  std::chrono::steady_clock::time_point steady_time() const override {
    return std::chrono::steady_clock::now();
  }
  std::uint64_t random_seed() override {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
  }
  bool has_threads() const override { return true; }
  void take(caf::actor_system&) override {}
  void run() override {}
  std::unique_ptr<tool_runner> make_tool_runner() override { return std::make_unique<tool_threads>(); }
};

} // namespace

std::shared_ptr<surroundings> this_machine() {
  static const auto one = std::make_shared<machine>();
  return one;
}

} // namespace troupe::actors
