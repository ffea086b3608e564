// Pieces as they come, and of a block that is committed what no piece has brought.
#include "troupe/text_follower.hpp"

#include "messages/event_codec.hpp"
#include "troupe/running_system.hpp"

namespace troupe::library {

namespace {

/// How long an ending may have to wait for a thread that has nothing to tell.
constexpr std::chrono::milliseconds looks_up_every{50};

} // namespace

std::string_view text_pieces::fresh(
    const std::string& inference, std::int64_t block, std::size_t offset, std::string_view text) {
  if (inference != inference_ || block != block_) {
    inference_ = inference;
    block_ = block;
    told_ = 0;
  }
  if (offset < told_ && offset + text.size() <= told_ && offset == 0 && text.size() < told_)
    told_ = 0; // begun anew
  const std::size_t known = told_ > offset ? std::min(told_ - offset, text.size()) : 0;
  told_ = std::max(told_, offset + text.size());
  return text.substr(known);
}

std::string_view text_pieces::fresh(const actors::stream_item& item) {
  using providers::block_kind;
  if (const auto* const delta = std::get_if<actors::live_delta>(&item))
    return delta->kind == block_kind::text
        ? fresh(delta->inference_id, delta->block, delta->offset, delta->text)
        : std::string_view();
  if (const auto* const partial = std::get_if<actors::live_partial>(&item))
    return partial->kind == block_kind::text ? fresh(partial->inference_id, partial->block, 0, partial->text)
                                             : std::string_view();
  const auto* const stored = std::get_if<recorded_event>(&item);
  if (!stored || stored->type != "assistant.block")
    return {};
  const auto happened = decode(*stored);
  if (!happened)
    return {};
  const auto& block = std::get<assistant_block>(happened->data);
  const auto* const text = std::get_if<text_block>(&block.block);
  if (!text)
    return {};
  whole_ = text->text.text;
  return fresh(block.inference_id, block.index, 0, whole_);
}

text_follower::text_follower(std::unique_ptr<actors::live_stream> stream, std::int64_t after,
    std::function<void(std::string_view)> told)
    : stream_(std::move(stream)), passed_(after), thread_([this, told = std::move(told)] { run(told); }) {}

text_follower::~text_follower() {
  stopped_ = true;
  thread_.join();
}

void text_follower::run(const std::function<void(std::string_view)>& told) {
  text_pieces pieces;
  while (!stopped_) {
    const auto item = stream_->next(looks_up_every);
    if (!item && stream_->ended())
      break;
    if (!item)
      continue;
    if (const auto text = pieces.fresh(*item); !text.empty())
      try {
        told(text);
      } catch (...) {
        tell_thrown(std::current_exception());
      }
    if (const auto* const stored = std::get_if<recorded_event>(&*item))
      passed(stored->seq);
  }
  const std::scoped_lock lock(mutex_);
  over_ = true;
  moved_.notify_all();
}

void text_follower::passed(std::int64_t seq) {
  const std::scoped_lock lock(mutex_);
  passed_ = seq;
  moved_.notify_all();
}

void text_follower::wait_for(std::int64_t seq) {
  if (std::this_thread::get_id() == thread_.get_id())
    return;
  std::unique_lock lock(mutex_);
  moved_.wait(lock, [&] { return over_ || passed_ >= seq; });
}

} // namespace troupe::library
