// One counter, written by the handler alone.
#include "cli/interrupts.hpp"

#include <csignal>
#include <cstdlib>

#include <poll.h>

namespace troupe::cli {

namespace {

volatile std::sig_atomic_t seen = 0;
volatile std::sig_atomic_t last = 0;

void on_interrupt(int) {
  seen = seen + 1;
  if (last != 0 && seen >= last)
    std::_Exit(130);
}

} // namespace

void watch_interrupts(int leave_at) {
  std::signal(SIGINT, SIG_IGN);
  seen = 0;
  last = leave_at;
  std::signal(SIGINT, on_interrupt);
}

int interrupts() { return seen; }

bool interrupted_within(std::chrono::microseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (seen == 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0)
      return false;
    ::poll(nullptr, 0, static_cast<int>(left.count())); // cut short by the signal
  }
  return true;
}

} // namespace troupe::cli
