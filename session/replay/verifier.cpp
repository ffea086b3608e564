// An append is looked at from the outside in: its places, its payloads, the decision, the chain.
#include "session/replay/verifier.hpp"

#include "messages/digest.hpp"
#include "messages/event_codec.hpp"
#include "messages/upcast.hpp"
#include "session/carried_state.hpp"
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

// The decision that wrote an event down is looked at with the state itself at hand.
std::optional<difference> verifier::fill(event& happened) const {
  auto* const trimmed = std::get_if<context_trimmed>(&happened.data);
  if (!trimmed || !trimmed->state || trimmed->state->content.loaded)
    return std::nullopt;
  const std::string& name = trimmed->state->content.ref->blob;
  auto text = contents_ ? contents_(name) : std::nullopt;
  if (!text || content_name(std::string_view(*text)) != name)
    return difference{
        happened.seq, "the content " + name, text ? "another one" : "nothing", difference_kind::content};
  trimmed->state = referenced_text(*std::move(text));
  return std::nullopt;
}

std::optional<difference> verifier::begin_after_what_was_removed(const recorded_event& first) {
  auto happened = decode(first);
  if (!happened)
    return difference{first.seq, "a payload of " + first.type, happened.error().detail + ": " + first.payload,
        difference_kind::form};
  if (auto wrong = fill(*happened))
    return wrong;
  const auto& trimmed = std::get<context_trimmed>(happened->data);
  auto before = trimmed.state ? read_carried(trimmed.state->content.text)
                              : problem{problem_code::corrupt, "no state to go on from", {}};
  if (!before)
    return difference{first.seq, "the state after event " + std::to_string(first.seq - 1),
        before.error().detail, difference_kind::content};
  constexpr std::size_t digits = 64;
  if (trimmed.anchor.size() != digits || from_hex(trimmed.anchor).empty())
    return difference{first.seq, "a chain of 64 digits", trimmed.anchor, difference_kind::chain};
  if (before->head < 1 || before->head != first.seq - 1 || trimmed.through_seq != before->head)
    return difference{before->head + 1, "event " + std::to_string(before->head + 1),
        "event " + std::to_string(first.seq), difference_kind::missing};
  now_ = *std::move(before);
  chain_ = from_hex(trimmed.anchor);
  begins_after_ = now_.head;
  return std::nullopt;
}

std::optional<difference> verifier::take(std::span<const recorded_event> append, bool cut) {
  if (append.empty())
    return std::nullopt;
  if (!now_.exists() && append.front().type == "context.trimmed")
    if (auto wrong = begin_after_what_was_removed(append.front()))
      return wrong;
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
    if (auto wrong = fill(*happened))
      return wrong;
    if (const auto* const trimmed = std::get_if<context_trimmed>(&happened->data);
        trimmed && trimmed->anchor != hex(chain_))
      return difference{stored.seq, "the chain " + hex(chain_), trimmed->anchor, difference_kind::chain};
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
