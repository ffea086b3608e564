// A sink that keeps what it gets and can be waited for.
#pragma once

#include "providers/provider.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace troupe::providers::testing {

constexpr std::chrono::seconds patience{20};

class collector {
 public:
  /// With `acknowledges`, each batch gives back its credit at once.
  explicit collector(bool acknowledges = true) : acknowledges_(acknowledges) {}

  event_sink sink() {
    return [this](std::vector<stream_event> batch) {
      std::lock_guard guard(mutex_);
      ++batches_;
      for (auto& event : batch)
        events_.push_back(std::move(event));
      if (acknowledges_ && attempt_)
        attempt_->acknowledge(1);
      else
        ++owed_;
      changed_.notify_all();
    };
  }

  void follow(std::shared_ptr<attempt> attempt) {
    std::lock_guard guard(mutex_);
    attempt_ = std::move(attempt);
    if (acknowledges_ && owed_ > 0)
      attempt_->acknowledge(owed_);
  }

  template <class Condition> bool wait(Condition condition) {
    std::unique_lock guard(mutex_);
    return changed_.wait_for(guard, patience, [&] { return condition(events_); });
  }

  /// The end; waits for it.
  attempt_finished finished() {
    wait([](const auto& events) {
      return !events.empty() && std::holds_alternative<attempt_finished>(events.back());
    });
    std::lock_guard guard(mutex_);
    if (events_.empty() || !std::holds_alternative<attempt_finished>(events_.back()))
      throw std::runtime_error("the attempt didn't end");
    return std::get<attempt_finished>(events_.back());
  }

  /// Waits until the text of all deltas is at least that long.
  bool wait_for_text(std::size_t bytes) {
    return wait([&](const auto& events) { return text_of(events).size() >= bytes; });
  }

  std::vector<stream_event> events() {
    std::lock_guard guard(mutex_);
    return events_;
  }
  std::size_t batches() {
    std::lock_guard guard(mutex_);
    return batches_;
  }
  std::string text() { return text_of(events()); }
  std::vector<block> blocks() {
    std::vector<block> found;
    for (const auto& event : events())
      if (const auto* done = std::get_if<block_finished>(&event))
        found.push_back(done->block);
    return found;
  }
  std::size_t ends() {
    std::size_t count = 0;
    for (const auto& event : events())
      count += std::holds_alternative<attempt_finished>(event);
    return count;
  }

 private:
  static std::string text_of(const std::vector<stream_event>& events) {
    std::string text;
    for (const auto& event : events)
      if (const auto* delta = std::get_if<block_delta>(&event);
          delta != nullptr && delta->kind == block_kind::text)
        text += delta->text;
    return text;
  }

  bool acknowledges_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<stream_event> events_;
  std::shared_ptr<attempt> attempt_;
  std::size_t batches_ = 0;
  std::size_t owed_ = 0;
};

/// A request of one user message.
inline inference_request ask(std::string text, std::vector<offered_tool> tools = {}) {
  inference_request request;
  request.inference_id = "i-1";
  request.model = "claude-test-1";
  request.tools = std::move(tools);
  request.messages.push_back({"user", {text_part{std::move(text)}}, {}, std::nullopt, std::nullopt});
  return request;
}

} // namespace troupe::providers::testing
