// Two semaphores: whoever gives the word waits for its own.
#include "tests/simulation/hand_over.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace troupe::simulation {

namespace {
thread_local hand_over* running = nullptr;
} // namespace

hand_over::hand_over(std::function<void()> work)
    : thread_([this, work = std::move(work)]() mutable {
        go_.acquire();
        running = this;
        work();
        work = nullptr; // what it holds ends while the other one waits
        ended_ = true;
        back_.release();
      }) {}

hand_over::~hand_over() { thread_.join(); }

bool hand_over::go_on() {
  go_.release();
  if (!back_.try_acquire_for(std::chrono::minutes(1))) {
    std::fputs("the work of a tool waits for something that can't happen while it runs\n", stderr);
    std::abort();
  }
  return ended_;
}

void hand_over::pause() {
  auto& me = *running;
  me.back_.release();
  me.go_.acquire();
}

} // namespace troupe::simulation
