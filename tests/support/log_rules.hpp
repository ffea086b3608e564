// The invariants of a log (I-1 … I-7), read off its events alone: a second opinion on the machine.
#pragma once

#include "messages/event.hpp"

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace troupe::testing {

/// The first breach, beginning with the invariant's name, or nothing. `durable`: the tools that may
/// run again without a person's word. A log may end anywhere between two appends. Of
/// one whose beginning was removed nothing can be said so.
std::optional<std::string> log_breach(std::span<const event> log, const std::set<std::string>& durable);

/// The same, told of one event after the other.
class log_checker {
 public:
  explicit log_checker(std::set<std::string> durable);
  ~log_checker();
  std::optional<std::string> check(const event& next);

 private:
  struct insides;
  std::unique_ptr<insides> in_;
};

} // namespace troupe::testing
