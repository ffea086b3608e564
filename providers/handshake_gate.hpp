// At most so many TLS handshakes of one loop at once; the rest waits its turn, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

namespace troupe::providers {

/// A handshake is the dearest thing that a loop's thread does; a crowd of them would hold up every stream.
inline constexpr std::size_t tls_handshakes_max = 16;

/// On the loop's thread.
class handshake_gate {
 public:
  using place = std::uint64_t;

  /// Runs `begin` at once, or when its turn comes: then this answers its place in the row. Who has
  /// begun must `leave`.
  std::optional<place> enter(std::function<void()> begin) {
    if (under_way_ < tls_handshakes_max) {
      ++under_way_;
      begin();
      return std::nullopt;
    }
    waiting_.emplace_back(++last_, std::move(begin));
    return last_;
  }

  /// True if it was still waiting; it never begins then.
  bool withdraw(place at) {
    return std::erase_if(waiting_, [at](const auto& one) { return one.first == at; }) > 0;
  }

  void leave() {
    --under_way_;
    if (waiting_.empty())
      return;
    auto next = std::move(waiting_.front().second);
    waiting_.pop_front();
    ++under_way_;
    next();
  }

 private:
  std::size_t under_way_ = 0;
  place last_ = 0;
  std::deque<std::pair<place, std::function<void()>>> waiting_;
};

} // namespace troupe::providers
