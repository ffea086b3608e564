// Blocks are kept from their first delta to the event that has them whole.
#include "actors/stream_hub/watched_session.hpp"

#include "messages/event_codec.hpp"

#include <algorithm>

namespace troupe::actors {

watched_session::listener* watched_session::find(const std::shared_ptr<stream_reader>& reader) {
  const auto found = std::find_if(
      listeners.begin(), listeners.end(), [&](const listener& one) { return one.reader == reader; });
  return found == listeners.end() ? nullptr : &*found;
}

void watched_session::take(const std::vector<live_item>& items) {
  for (const auto& item : items)
    if (const auto* const delta = std::get_if<live_delta>(&item)) {
      auto& block = open_[{delta->inference_id, delta->block}];
      if (delta->offset == 0)
        block = {delta->inference_id, delta->block, delta->kind, {}};
      block.text += delta->text;
    }
  for (const auto& one : listeners)
    if (one.live)
      one.reader->offer(items);
}

void watched_session::take(const std::vector<recorded_event>& events) {
  for (const auto& stored : events) {
    head = std::max(head, stored.seq);
    if (open_.empty()
        || (stored.type != "assistant.block" && stored.type != "inference.finished"
            && stored.type != "output.voided"))
      continue;
    const auto happened = decode(stored);
    if (!happened)
      continue;
    if (const auto* const block = std::get_if<assistant_block>(&happened->data))
      open_.erase({block->inference_id, block->index});
    else
      open_.clear(); // a session has one inference at a time
  }
}

void watched_session::go_live(listener& one) const {
  one.live = true;
  for (const auto& [place, block] : open_)
    one.reader->offer(block);
  if (!one.reader->follows())
    one.reader->close();
}

} // namespace troupe::actors
