// An append is looked at from the outside in: its places, its payloads, the decision, the chain.
#include "session/replay/verifier.hpp"

#include "messages/event_codec.hpp"
#include "messages/upcast.hpp"
#include "session/evolve.hpp"

namespace troupe::session {

namespace {

std::optional<difference> misplaced(std::span<const recorded_event> append, std::int64_t head) {
  const auto& first = append.front();
  std::int64_t expected = head;
  for (const auto& event : append) {
    const auto place =
        "event " + std::to_string(event.seq) + " of the append at " + std::to_string(event.append_seq);
    if (event.seq != ++expected)
      return difference{expected, "event " + std::to_string(expected), place,
          event.seq > expected ? difference_kind::missing : difference_kind::place};
    if (event.append_seq != head + 1)
      return difference{
          event.seq, "an append that begins at " + std::to_string(head + 1), place, difference_kind::place};
    if (event.command != first.command)
      return difference{event.seq, "one command for the whole append", "two", difference_kind::place};
  }
  return std::nullopt;
}

// Whoever holds the session writes it, when its owners died again and again: nothing is decided.
std::optional<difference> wrong_park(const state& before, std::span<const event> append) {
  if (append.size() == 1 && std::holds_alternative<session_parked>(append.front().data) && before.exists()
      && !before.parked && !append.front().run_id)
    return std::nullopt;
  return difference{append.front().seq, "session.parked alone, of a session that isn't parked",
      std::string(type_name(append.front().data)) + " " + encode(append.front().data)};
}

} // namespace

std::optional<difference> verifier::take(std::span<const recorded_event> append, bool cut) {
  if (append.empty())
    return std::nullopt;
  if (auto wrong = misplaced(append, now_.head))
    return wrong;
  std::vector<event> events;
  for (const auto& stored : append) {
    auto happened = decode(stored);
    if (!happened)
      return difference{stored.seq, "a payload of " + stored.type,
          happened.error().detail + ": " + stored.payload, difference_kind::form};
    if (stored.version == newest_version(stored.type))
      if (auto written = encode(happened->data); written != stored.payload)
        return difference{stored.seq, stored.type + " " + std::move(written),
            stored.type + " " + stored.payload, difference_kind::form};
    if (happened->at < now_.at)
      return difference{stored.seq, "a time not before " + to_string(now_.at), to_string(happened->at),
          difference_kind::place};
    events.push_back(*std::move(happened));
  }
  const auto kind = append.front().command;
  if (auto other = kind == command_kind::park ? wrong_park(now_, events)
                                              : redecided_difference(kind, now_, events, cut))
    return other;
  for (const auto& happened : events)
    evolve(now_, happened);
  chain_ = chain_of(append, std::move(chain_));
  return std::nullopt;
}

} // namespace troupe::session
