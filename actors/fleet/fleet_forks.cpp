// A fork: the log up to the cut is folded, and a branch is made whose first append closes what was open.
#include "actors/append_of.hpp"
#include "actors/fleet/fleet_shell.hpp"
#include "actors/fleet/modes.hpp"
#include "actors/fleet/session_loading.hpp"
#include "actors/history/log_folding.hpp"
#include "messages/event_codec.hpp"
#include "messages/json_reading.hpp"
#include "session/decide.hpp"

namespace troupe::actors {

namespace {

problem no_such_event(const fork_session_at& what, std::int64_t head) {
  return {problem_code::invalid_input,
      "the session `" + what.from + "` has events 1 to " + std::to_string(head) + ", not "
          + std::to_string(what.at),
      {{"/at", "is an event of the session, 1 to " + std::to_string(head)}}};
}

} // namespace

result<options> fleet_shell::options_of_fork(const session::state& cut, const fork_session_at& what) const {
  options wanted = *cut.options;
  wanted.provider = cut.settings.provider;
  wanted.model = cut.settings.model;
  wanted.effort = cut.settings.effort;
  wanted.service_tier = cut.settings.service_tier;
  if (!what.changes.text.empty()) {
    const auto changes = json::parse(what.changes.text);
    if (!changes)
      return changes.error();
    json::reader reader(true);
    reader.at("options", [&] {
      if (changes->find("id"))
        reader.at("id", [&] { reader.fault("stands beside the options: `id`"); });
      reader.get(*changes, wanted);
    });
    if (changes->find("provider") && !changes->find("model"))
      wanted.model.reset(); // the other one's own
    if (!reader.faults().empty())
      return problem{problem_code::invalid_input, "the options are not valid", reader.faults()};
  }
  wanted.id = what.id;
  auto whole = with_defaults(*parts_, std::move(wanted));
  if (!whole)
    return whole.error();
  const auto offer = offer_of(parts_->tools, *whole);
  if (!offer)
    return offer.error();
  if (const auto fits = check_mode(parts_->modes, *whole, *offer); !fits)
    return fits.error();
  return whole;
}

// The same request once more, whose answer was lost.
bool fleet_shell::is_that_fork(const fork_session_at& what, const options& wanted) const {
  const auto there = journal_->find(settings_.tenant, what.id);
  if (!there || !there->begun() || there->cut != what.at)
    return false;
  const auto first = journal_->read(there->key, there->cut, 1);
  const auto happened = first && !first->empty() ? decode(first->front()) : result<event>(problem{});
  const auto* const it = happened ? std::get_if<session_forked>(&happened->data) : nullptr;
  return it && it->from == fork_point{what.from, what.at} && to_json(it->options) == to_json(wanted);
}

result<persistence::append> fleet_shell::first_append(
    const session::state& cut, const fork_session& command) const {
  const session::look_ups known;
  auto ids = parts_->ids();
  const auto decided = session::decide(cut, command, {std::max(cut.at, parts_->clock.now()), ids, known});
  if (!decided)
    return decided.error();
  session::state begun = cut;
  return decided_append({}, 0, begun, command_kind::fork, *decided, ids.next());
}

forked fleet_shell::fork(const fork_session_at& what) {
  if (!is_id(what.id))
    return {problem{problem_code::invalid_input,
        "`" + what.id.substr(0, 140)
            + "` is no session id: 1 to 128 of A-Z a-z 0-9 . _ - beginning with a letter or digit",
        {}}};
  const auto parent = journal_->find(settings_.tenant, what.from);
  if (!parent)
    return {parent.error()};
  if (!parent->begun())
    return {problem{problem_code::not_found, "there is no session `" + what.from + "`", {}}};
  if (what.at < 1 || what.at > parent->head)
    return {no_such_event(what, parent->head)};
  const auto cut = checked_outline_at(*journal_, *parent, what.at);
  if (!cut)
    return {cut.error()};
  const auto wanted = options_of_fork(*cut->state, what);
  if (!wanted)
    return {wanted.error()};
  const auto first = first_append(*cut->state, fork_session{{what.from, what.at}, *wanted});
  if (!first)
    return {first.error()};
  const auto made = journal_->fork(*parent, {what.at, cut->chain}, what.id, *first);
  if (made || (made.error().code == problem_code::conflict && is_that_fork(what, *wanted)))
    return {};
  return {made.error()};
}

} // namespace troupe::actors
