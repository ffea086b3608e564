// A recorded session as a script of the gym, which plays its answers again (docs/gym.md).
#pragma once

#include "messages/event.hpp"

#include <vector>

namespace troupe::actors {

class gym_script {
 public:
  /// The next event, as readers get it.
  void take(const event& happened);

  /// A rule a line, one for each answer that came to an end, in their order.
  const std::string& lines() const { return lines_; }
  std::size_t answers() const { return answers_; }
  /// What a script can't play: answers that an abort or a crash cut off, summaries of compactions.
  std::size_t left_out() const { return left_out_; }

 private:
  void finish(const inference_finished& end);

  std::string inference_;
  std::vector<block> blocks_;
  std::string lines_;
  std::size_t answers_ = 0;
  std::size_t left_out_ = 0;
};

} // namespace troupe::actors
