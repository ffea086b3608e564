// The output of a call that is answered later, by whoever keeps the reply.
#pragma once

#include "tools/tool.hpp"

#include <condition_variable>
#include <optional>

namespace troupe::tools {

/// What a reply and the thread that waits for it share.
class awaited_output {
 public:
  /// The first counts.
  void give(output given);
  void drop();
  void stop();
  /// The output; an error if nobody is left who could give one; aborted, if the call was stopped and nothing
  /// came within `stopped_calls_have` from then.
  output wait(std::string_view tool);

  static constexpr std::chrono::milliseconds stopped_calls_have{2000};

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<output> output_;
  bool dropped_ = false;
  bool stopped_ = false;
};

/// A value that may be kept, copied and used on any thread. The first output counts, and what comes after the
/// call was stopped or is over is dropped. When its last copy goes unanswered the call has failed.
class reply_line {
 public:
  explicit reply_line(std::shared_ptr<awaited_output> to) : to_(std::make_shared<holder>(std::move(to))) {}
  void give(output given) const { to_->to->give(std::move(given)); }

 private:
  struct holder {
    explicit holder(std::shared_ptr<awaited_output> line) : to(std::move(line)) {}
    ~holder() { to->drop(); }
    holder(const holder&) = delete;
    holder& operator=(const holder&) = delete;
    std::shared_ptr<awaited_output> to;
  };
  std::shared_ptr<holder> to_;
};

/// Begins a call that is answered by the line, and waits for that on this thread.
output answered_later(const call& call, std::string_view tool, const std::function<void(reply_line)>& begin);

} // namespace troupe::tools
