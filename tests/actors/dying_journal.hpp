// A journal whose process dies at one append: right before it is committed, or right behind that, before
// anybody has heard of it. What comes afterwards comes too late.
#pragma once

#include "persistence/journal.hpp"

#include <condition_variable>
#include <mutex>

namespace troupe::testing {

enum class moment { before, after };

/// The death of one node, shared by its journals. For any thread.
class death {
 public:
  /// At the `nth` append that holds an event of this type.
  death(moment when, std::string type, std::size_t nth = 1)
      : when_(when), type_(std::move(type)), left_(nth) {}

  bool has_come() const;
  /// False when the time is up.
  bool wait();

  // -- for its journals --
  /// True if the batch is the last one that this process sends; `before`: it isn't even sent.
  bool takes(const std::vector<persistence::append>& batch, moment when);

 private:
  moment when_;
  std::string type_;
  std::size_t left_;
  bool come_ = false;
  mutable std::mutex mutex_;
  std::condition_variable comes_;
};

/// `inner` until the death comes; then nothing is done, and nothing answered.
std::shared_ptr<persistence::journal> make_dying_journal(
    std::shared_ptr<persistence::journal> inner, std::shared_ptr<death> when);

} // namespace troupe::testing
