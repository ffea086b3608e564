// Strict where a client would only be tolerant.
#include "tests/crash/stream_account.hpp"

#include <charconv>

namespace troupe::testing {

namespace {

std::int64_t number(const std::string& text) {
  std::int64_t value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

} // namespace

void stream_account::take(const sent_event& event) {
  if (event.name == "delta" || event.name == "partial") {
    if (!event.id.empty())
      breach("what isn't committed has an id: " + event.data);
    event.name == "delta" ? take_delta(event) : take_partial(event);
  } else if (!event.id.empty()) {
    take_committed(event);
  } else if (event.name != "retrying" && event.name != "tool_progress") {
    breach("an event without an id: " + event.name + " " + event.data);
  }
}

void stream_account::take_committed(const sent_event& event) {
  if (number(event.id) != last_ + 1 || event.at("seq") != event.id || event.at("type") != event.name)
    breach("after event " + std::to_string(last_) + " came " + event.id + ": " + event.data);
  last_ = number(event.id);
  events_.push_back(event.data);
  if (event.name == "assistant.block")
    take_block(event);
  if (event.name != "output.voided" && event.name != "inference.finished")
    return;
  const auto of_it = [inference = event.at("data/inference_id")](
                         const auto& entry) { return entry.first.first == inference; };
  std::erase_if(live_, of_it);
  std::erase_if(seen_, of_it);
}

void stream_account::take_block(const sent_event& event) {
  const place where{event.at("data/inference_id"), event.at("data/index")};
  const std::string committed = event.at("data/block/text");
  const auto type = event.at("data/block/type");
  const auto came = live_.find(where);
  if (type == "text" || type == "thinking") {
    if (came != live_.end() && came->second != committed)
      breach("of block " + where.second + " came \"" + came->second + "\" and \"" + committed
          + "\" is committed in event " + event.id);
    if (const auto before = seen_.find(where);
        before != seen_.end() && !committed.starts_with(before->second))
      breach("block " + where.second + " was shown as \"" + before->second + "\" and isn't that");
    blocks_joined_ += came != live_.end() ? 1 : 0;
  }
  live_.erase(where);
  seen_.erase(where);
}

void stream_account::take_delta(const sent_event& event) {
  const place where{event.at("inference_id"), event.at("block")};
  auto& text = live_[where];
  if (number(event.at("offset")) != static_cast<std::int64_t>(text.size()))
    breach("a delta at " + event.at("offset") + " where " + std::to_string(text.size())
        + " bytes have come: " + event.data);
  text += event.at("text");
  if (auto& most = seen_[where]; most.size() < text.size())
    most = text;
}

void stream_account::take_partial(const sent_event& event) {
  ++partials_;
  const place where{event.at("inference_id"), event.at("block")};
  const auto text = event.at("text");
  if (event.at("offset") != "0")
    breach("a partial begins at " + event.at("offset"));
  if (const auto before = seen_.find(where); before != seen_.end() && !text.starts_with(before->second))
    breach("a partial has \"" + text + "\" where \"" + before->second + "\" was shown before");
  live_[where] = text;
  if (auto& most = seen_[where]; most.size() < text.size())
    most = text;
}

} // namespace troupe::testing
