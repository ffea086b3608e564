// Time and ids of a node.
#include "actors/node_parts.hpp"

namespace troupe::actors {

namespace {

std::int64_t system_microseconds() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::system_clock::now().time_since_epoch())
      .count();
}

} // namespace

timestamp node_clock::now() const {
  return {system_microseconds() + offset_.load(std::memory_order_relaxed)};
}

void node_clock::correct(timestamp database) {
  offset_.store(database.microseconds - system_microseconds(), std::memory_order_relaxed);
}

fresh_ids::fresh_ids(const node_clock& clock) : clock_(clock) {
  std::random_device device;
  std::seed_seq seed{device(), device(), device(), device(), device(), device(), device(), device()};
  random_.seed(seed);
}

std::string fresh_ids::next() { return uuid_v7(clock_.now(), random_(), random_()); }

} // namespace troupe::actors
