// Events are put in order here: queues and agents publish by themselves.
#include "actors/stream_hub/stream_reader.hpp"

namespace troupe::actors {

namespace {

constexpr std::size_t overhead = 128;
std::size_t bytes_of(const live_delta& delta) { return delta.text.size() + overhead; }
std::size_t bytes_of(const live_retry& retry) { return retry.why.size() + overhead; }
std::size_t bytes_of(const recorded_event& event) { return event.payload.size() + overhead; }

} // namespace

std::int64_t stream_reader::next_seq() const {
  const std::lock_guard lock(mutex_);
  return next_;
}

void stream_reader::push(stream_item item, std::size_t bytes) {
  if (overflowed_ || closed_)
    return;
  if (bytes_ + bytes > reader_bytes_max) {
    overflowed_ = true;
    items_.clear();
    early_.clear();
    return;
  }
  bytes_ += bytes;
  items_.emplace_back(std::move(item), bytes);
}

void stream_reader::offer(std::vector<recorded_event> events) {
  {
    const std::lock_guard lock(mutex_);
    if (overflowed_ || closed_)
      return; // nothing of it will be read: it must not gather here
    for (auto& event : events)
      if (event.seq >= next_)
        early_.emplace(event.seq, std::move(event));
    while (!early_.empty() && early_.begin()->first == next_) {
      auto event = std::move(early_.begin()->second);
      early_.erase(early_.begin());
      ++next_;
      const std::size_t bytes = bytes_of(event);
      push(std::move(event), bytes);
    }
  }
  arrived_.notify_all();
}

void stream_reader::offer(const std::vector<live_item>& items) {
  {
    const std::lock_guard lock(mutex_);
    for (const auto& item : items)
      std::visit([&](const auto& live) { push(live, bytes_of(live)); }, item);
  }
  arrived_.notify_all();
}

void stream_reader::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  arrived_.notify_all();
}

std::optional<stream_item> stream_reader::next(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  arrived_.wait_for(lock, patience, [&] { return !items_.empty() || closed_ || overflowed_; });
  if (items_.empty())
    return std::nullopt;
  auto [item, bytes] = std::move(items_.front());
  items_.pop_front();
  bytes_ -= bytes;
  return item;
}

bool stream_reader::ended() const {
  const std::lock_guard lock(mutex_);
  return items_.empty() && (closed_ || overflowed_);
}

bool stream_reader::overflowed() const {
  const std::lock_guard lock(mutex_);
  return overflowed_;
}

} // namespace troupe::actors
