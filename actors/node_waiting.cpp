// What callers outside may wait for.
#include "actors/desk.hpp"
#include "actors/node.hpp"

namespace troupe::actors {

result<session_handle> node::open(options wanted, opening how, bool can_ask) {
  return waited<session_handle>([&](auto answer) { open(std::move(wanted), how, can_ask, answer); });
}

result<void> node::fork(const std::string& from, std::int64_t at, const std::string& id, json::raw changes) {
  const auto made =
      waited<bool>([&](auto answer) { fork(from, at, id, std::move(changes), std::move(answer)); });
  return made ? result<void>() : made.error();
}

} // namespace troupe::actors
