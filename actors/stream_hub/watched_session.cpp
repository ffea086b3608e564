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

bool watched_session::takes(const live_item& item) {
  const auto* const delta = std::get_if<live_delta>(&item);
  if (!delta)
    return true;
  const auto place = std::pair(delta->inference_id, delta->block);
  if (delta->inference_id == ended_ || (delta->offset > 0 && !open_.contains(place)))
    return false;
  auto& block = open_[place];
  if (delta->offset == 0)
    block = {delta->inference_id, delta->block, delta->kind, {}};
  block.text += delta->text;
  return true;
}

void watched_session::take(const std::vector<live_item>& items) {
  std::vector<live_item> shown;
  for (const auto& item : items)
    if (takes(item))
      shown.push_back(item);
  for (const auto& one : listeners)
    if (one.live && !shown.empty())
      one.reader->offer(shown);
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
    if (const auto* const finished = std::get_if<inference_finished>(&happened->data))
      ended_ = finished->inference_id;
    if (const auto* const voided = std::get_if<output_voided>(&happened->data))
      ended_ = voided->inference_id;
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
