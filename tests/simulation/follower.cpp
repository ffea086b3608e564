// I-10, as a client sees it.
#include "tests/simulation/follower.hpp"

#include "messages/event_codec.hpp"
#include "tests/simulation/witness.hpp"

namespace troupe::simulation {

void follower::broken(const std::string& what) {
  on_.broken("I-10: a reader of " + session_ + " after event " + std::to_string(last_) + " " + what);
}

void follower::connect(simulated_node& node) {
  leave();
  const auto row = logs_.row(session_);
  if (!row)
    return;
  node_ = &node;
  on_.story.tell("follows", node.plan().number, last_);
  stream_ = node.inside().follow(row->key, last_);
}

void follower::leave() {
  stream_.reset();
  node_ = nullptr;
  open_.clear();
}

void follower::read() {
  while (stream_) {
    const auto item = stream_->next(std::chrono::milliseconds(0));
    if (!item)
      break;
    std::visit([&](const auto& it) { take(it); }, *item);
  }
  if (stream_ && stream_->ended())
    leave();
}

void follower::take(const recorded_event& event) {
  // what was removed before it came to be read isn't missed: the event that comes says so
  const bool goes_on = event.seq == last_ + 1 || (event.seq > last_ && event.type == "context.trimmed");
  if (!goes_on)
    broken(event.seq <= last_ ? "gets event " + std::to_string(event.seq) + " again"
                              : "misses what is before event " + std::to_string(event.seq));
  last_ = std::max(last_, event.seq);
  const auto& log = logs_.log_of(session_);
  const auto index = static_cast<std::size_t>(event.seq - 1);
  if (index >= log.recorded.size())
    return broken("is shown event " + std::to_string(event.seq) + ", which isn't committed");
  if (event.type != log.recorded[index].type || event.at != log.recorded[index].at)
    broken("is shown another event " + std::to_string(event.seq) + " than was committed");
  if (const auto* const block = std::get_if<assistant_block>(&log.events[index].data)) {
    const auto found = open_.find({block->inference_id, block->index});
    if (found == open_.end())
      return;
    const auto* const text = std::get_if<text_block>(&block->block);
    if (text && text->text.loaded && !text->text.text.starts_with(found->second))
      broken("saw other deltas of block " + std::to_string(block->index) + " than the block that they made");
    open_.erase(found);
  }
}

void follower::take(const actors::live_delta& delta) {
  if (delta.kind != providers::block_kind::text)
    return;
  ++deltas_;
  auto& text = open_[{delta.inference_id, delta.block}];
  if (delta.offset == 0)
    text.clear();
  if (delta.offset != text.size())
    broken("gets a delta at " + std::to_string(delta.offset) + " after " + std::to_string(text.size())
        + " bytes of block " + std::to_string(delta.block));
  text = text.substr(0, delta.offset) + delta.text;
}

void follower::take(const actors::live_partial& partial) {
  if (partial.kind == providers::block_kind::text)
    open_[{partial.inference_id, partial.block}] = partial.text;
}

} // namespace troupe::simulation
