// Events are put in order here: queues and agents publish by themselves.
#include "actors/stream_hub/stream_reader.hpp"

namespace troupe::actors {

namespace {

constexpr std::size_t overhead = 128;
std::size_t bytes_of(const live_delta& delta) { return delta.text.size() + overhead; }
std::size_t bytes_of(const live_retry& retry) { return retry.why.size() + overhead; }
std::size_t bytes_of(const live_progress& progress) { return progress.text.size() + overhead; }
std::size_t bytes_of(const live_partial& partial) { return partial.text.size() + overhead; }
std::size_t bytes_of(const recorded_event& event) { return event.payload.size() + overhead; }

} // namespace

std::int64_t stream_reader::next_seq() const {
  const std::lock_guard lock(mutex_);
  return next_;
}

bool stream_reader::has_gap() const {
  const std::lock_guard lock(mutex_);
  return !early_.empty();
}

// One item is always taken: what is bigger than the bound alone must be readable too.
void stream_reader::push(stream_item item, std::size_t bytes, bool bounded) {
  if (overflowed_ || closed_)
    return;
  if (bounded && !items_.empty() && bytes_ + bytes > bytes_max_) {
    overflowed_ = true;
    items_.clear();
    early_.clear();
    return;
  }
  bytes_ += bytes;
  items_.emplace_back(std::move(item), bytes);
}

// Whoever reads is woken outside the lock: it may read at once.
void stream_reader::woken(std::unique_lock<std::mutex> lock) {
  const auto wake = wake_;
  lock.unlock();
  arrived_.notify_all();
  if (wake)
    wake();
}

void stream_reader::offer_events(std::vector<recorded_event> events, bool bounded) {
  std::unique_lock lock(mutex_);
  if (overflowed_ || closed_)
    return; // nothing of it will be read: it must not gather here
  for (auto& event : events)
    if (event.seq >= next_)
      early_.emplace(event.seq, std::move(event));
  bool came = false;
  if (!bounded && !early_.empty() && early_.begin()->second.type == "context.trimmed")
    next_ = early_.begin()->first; // a page of the log begins with it: what came before isn't there any more
  while (!early_.empty() && early_.begin()->first == next_) {
    auto event = std::move(early_.begin()->second);
    early_.erase(early_.begin());
    ++next_;
    const std::size_t bytes = bytes_of(event);
    push(std::move(event), bytes, bounded);
    came = true;
  }
  if (came)
    woken(std::move(lock));
}

void stream_reader::offer(const std::vector<live_item>& items) {
  std::unique_lock lock(mutex_);
  for (const auto& item : items)
    std::visit([&](const auto& live) { push(live, bytes_of(live)); }, item);
  woken(std::move(lock));
}

void stream_reader::offer(live_partial partial) {
  std::unique_lock lock(mutex_);
  const std::size_t bytes = bytes_of(partial);
  push(std::move(partial), bytes, false); // it is part of what a newcomer asked for
  woken(std::move(lock));
}

void stream_reader::forget_early() {
  const std::lock_guard lock(mutex_);
  early_.clear();
}

bool stream_reader::is_hungry() const {
  const std::lock_guard lock(mutex_);
  return bytes_ < reader_bytes_low;
}

void stream_reader::when_hungry(std::function<void()> ask) {
  {
    const std::lock_guard lock(mutex_);
    if (overflowed_ || closed_)
      return;
    if (bytes_ >= reader_bytes_low) {
      ask_ = std::move(ask);
      return;
    }
  }
  ask();
}

void stream_reader::close() {
  std::unique_lock lock(mutex_);
  closed_ = true;
  ask_ = nullptr;
  woken(std::move(lock));
}

std::optional<stream_item> stream_reader::next(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  if (patience.count() > 0)
    arrived_.wait_for(lock, patience, [&] { return !items_.empty() || closed_ || overflowed_; });
  if (items_.empty())
    return std::nullopt;
  auto [item, bytes] = std::move(items_.front());
  items_.pop_front();
  bytes_ -= bytes;
  std::function<void()> ask;
  if (bytes_ < reader_bytes_low)
    ask = std::exchange(ask_, nullptr);
  lock.unlock();
  if (ask)
    ask();
  return std::move(item);
}

bool stream_reader::ended() const {
  const std::lock_guard lock(mutex_);
  return items_.empty() && (closed_ || overflowed_);
}

bool stream_reader::overflowed() const {
  const std::lock_guard lock(mutex_);
  return overflowed_;
}

void stream_reader::when_ready(std::function<void()> wake) {
  std::unique_lock lock(mutex_);
  wake_ = std::move(wake);
  if (!items_.empty() || closed_ || overflowed_)
    woken(std::move(lock));
}

} // namespace troupe::actors
