// Chance and the trace.
#include "tests/simulation/ground.hpp"

#include <cstdio>

namespace troupe::simulation {

std::uint64_t chance::next() {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

void trace::mix(std::uint64_t value) { hash_ = (hash_ ^ value) * 0x100000001B3ULL; }

void trace::begin_step(std::int64_t now_ms) {
  ++steps_;
  now_ms_ = now_ms;
}

void trace::tell(
    std::string_view what, std::int64_t a, std::int64_t b, const std::function<std::string()>& detail) {
  for (const char c : what)
    mix(static_cast<unsigned char>(c));
  mix(static_cast<std::uint64_t>(a));
  mix(static_cast<std::uint64_t>(b));
  mix(static_cast<std::uint64_t>(now_ms_));
  if (!kept_)
    return;
  char place[48];
  std::snprintf(place, sizeof place, "%6lld %8.3f s  ", static_cast<long long>(steps_),
      static_cast<double>(now_ms_) / 1000);
  lines_.push_back(place + std::string(what) + " " + std::to_string(a) + " " + std::to_string(b)
      + (detail ? "  " + detail() : ""));
}

} // namespace troupe::simulation
