// Waiting for what tells nobody when it happens, and the time since a moment.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>

#include <poll.h>

namespace troupe::bench {

inline double ms_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// Asks again each millisecond; throws when it has waited for too long.
template <class Condition> void wait_for(Condition holds, const char* what) {
  for (const auto begin = std::chrono::steady_clock::now(); !holds(); ::poll(nullptr, 0, 1))
    if (ms_since(begin) > 60'000)
      throw std::runtime_error(std::string("waited in vain for ") + what);
}

} // namespace troupe::bench
