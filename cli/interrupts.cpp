// One counter, written by the handler alone.
#include "cli/interrupts.hpp"

#include <csignal>
#include <cstdlib>

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

} // namespace troupe::cli
