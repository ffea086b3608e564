// Pieces as they come, and of a block that is committed what no piece has brought.
#include "troupe/text_follower.hpp"

#include "messages/event_codec.hpp"
#include "troupe/running_system.hpp"

namespace troupe::library {

namespace {

thread_local bool is_telling = false;

} // namespace

std::string_view text_pieces::fresh(const block_place& block, std::size_t offset, std::string_view text) {
  auto& told = told_[block];
  const std::size_t known = told > offset ? std::min(told - offset, text.size()) : 0;
  told = std::max(told, offset + text.size());
  return text.substr(known);
}

std::string_view text_pieces::fresh(const recorded_event& stored) {
  if (stored.type != "assistant.block" && stored.type != "inference.finished"
      && stored.type != "output.voided")
    return {};
  const auto happened = decode(stored);
  if (!happened)
    return {};
  const auto over = [this](const std::string& inference) {
    std::erase_if(told_, [&](const auto& block) { return block.first.first == inference; });
  };
  if (const auto* const finished = std::get_if<inference_finished>(&happened->data))
    over(finished->inference_id);
  if (const auto* const voided = std::get_if<output_voided>(&happened->data))
    over(voided->inference_id);
  const auto* const block = std::get_if<assistant_block>(&happened->data);
  const auto* const text = block ? std::get_if<text_block>(&block->block) : nullptr;
  if (!text)
    return {};
  whole_ = text->text.text;
  return fresh({block->inference_id, block->index}, 0, whole_);
}

std::string_view text_pieces::fresh(const actors::stream_item& item) {
  constexpr auto text = providers::block_kind::text;
  if (const auto* const delta = std::get_if<actors::live_delta>(&item); delta && delta->kind == text)
    return fresh({delta->inference_id, delta->block}, delta->offset, delta->text);
  if (const auto* const partial = std::get_if<actors::live_partial>(&item); partial && partial->kind == text)
    return fresh({partial->inference_id, partial->block}, 0, partial->text);
  const auto* const stored = std::get_if<recorded_event>(&item);
  return stored ? fresh(*stored) : std::string_view();
}

void text_follower::progress::wait_for(std::int64_t seq, std::chrono::steady_clock::time_point until) {
  if (is_telling)
    return;
  std::unique_lock lock(mutex_);
  moved_.wait_until(lock, until, [&] { return over_ || told_ >= seq; });
}

void text_follower::progress::move_to(std::int64_t seq) {
  const std::scoped_lock lock(mutex_);
  told_ = seq;
  moved_.notify_all();
}

void text_follower::progress::end() {
  const std::scoped_lock lock(mutex_);
  over_ = true;
  moved_.notify_all();
}

bool text_follower::progress::is_over() {
  const std::scoped_lock lock(mutex_);
  return over_;
}

text_follower::text_follower(next_item next, std::int64_t after, std::function<void(std::string_view)> told) {
  how_far_->move_to(after);
  thread_ = std::thread([next = std::move(next), told = std::move(told), how_far = how_far_] {
    is_telling = true;
    text_pieces pieces;
    while (!how_far->is_over()) {
      const auto item = next();
      if (!item)
        break;
      if (!*item)
        continue;
      if (const auto text = pieces.fresh(**item); !text.empty())
        try {
          told(text);
        } catch (...) {
          tell_thrown(std::current_exception());
        }
      if (const auto* const stored = std::get_if<recorded_event>(&**item))
        how_far->move_to(stored->seq);
    }
    how_far->end();
  });
}

text_follower::~text_follower() {
  how_far_->end();
  if (thread_.get_id() == std::this_thread::get_id())
    thread_.detach(); // it holds all that it looks at
  else
    thread_.join();
}

} // namespace troupe::library
