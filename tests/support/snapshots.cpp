// Both ways of folding, side by side.
#include "tests/support/snapshots.hpp"

#include "session/carried_state.hpp"
#include "session/evolve.hpp"
#include "session/project.hpp"
#include "session/snapshot.hpp"
#include "tests/support/forks.hpp"

#include <algorithm>

namespace troupe::testing {

std::string told(const session::state& now) {
  std::string out = session::keep(now) + session::to_json(now.context.messages());
  for (const auto* const queue : {&now.steer, &now.sends})
    for (const auto& waiting : *queue)
      out += " " + waiting.data->message_id + "@" + std::to_string(waiting.seq) + (waiting.vetoed ? "!" : "")
          + (waiting.replaced ? "=" : "");
  if (now.run)
    out += " run " + now.run->id;
  for (const auto& call : now.calls)
    out += " call " + call.execution_id + "/" + std::to_string(static_cast<int>(call.phase));
  return out + std::string(session::status(now)) + std::string(session::needs_work(now) ? "+" : "-");
}

namespace {

std::vector<event> context_part(std::span<const event> log, const session::state& kept) {
  std::vector<event> out;
  const auto& types = session::context_events();
  for (const auto& happened : log)
    if (happened.seq >= kept.context_from && happened.seq <= kept.head
        && std::find(types.begin(), types.end(), type_name(happened.data)) != types.end())
      out.push_back(happened);
  // as it is loaded: only where the fold begins with it, what it goes on from is fetched
  for (auto& happened : out)
    if (auto* const trimmed = std::get_if<context_trimmed>(&happened.data);
        trimmed && happened.seq != kept.context_from)
      trimmed->state->content = large_text::reference(*trimmed->state->content.ref);
  return out;
}

// What a snapshot says without its context is enough to fork from, wherever the log has gone on to.
std::optional<std::string> outline_breach(
    const session::kept_state& kept, std::span<const event> later, const session::state& whole) {
  if (!kept.nothing_waits)
    return std::nullopt;
  session::state outline = kept.without_context;
  for (const auto& happened : later)
    session::evolve(outline, happened);
  return fork_of(std::move(outline)).events == fork_of(whole).events
      ? std::nullopt
      : std::optional<std::string>("a fork from it without its context is another one");
}

} // namespace

namespace {

// Carried over it is the same state, and goes on to the same end.
std::optional<std::string> carried_breach(
    const session::state& prefix, std::span<const event> later, const session::state& whole) {
  const auto text = session::carry(prefix);
  auto carried = session::read_carried(text);
  if (!carried)
    return "carried over: " + carried.error().detail;
  if (told(*carried) != told(prefix) || session::carry(*carried) != text)
    return "carried over: " + told(*carried) + "\n is not \n" + told(prefix);
  for (const auto& happened : later)
    session::evolve(*carried, happened);
  return told(*carried) == told(whole)
      ? std::nullopt
      : std::optional("carried over, and on to the end: " + told(*carried) + "\n is not \n" + told(whole));
}

} // namespace

std::optional<std::string> snapshot_breach(std::span<const event> log) {
  const auto whole = session::fold(log);
  session::state prefix;
  for (std::size_t i = 0; i < log.size(); ++i) {
    session::evolve(prefix, log[i]);
    if (!session::can_be_kept(prefix))
      continue;
    const std::string place = "at event " + std::to_string(log[i].seq) + ": ";
    auto kept = session::read_kept(session::keep(prefix));
    if (!kept)
      return place + kept.error().detail;
    if (const auto other = carried_breach(prefix, log.subspan(i + 1), whole))
      return place + *other;
    if (const auto other = outline_breach(*kept, log.subspan(i + 1), whole))
      return place + *other;
    const auto events = context_part(log, kept->without_context);
    session::restoring restoring(*std::move(kept));
    for (const auto& happened : events)
      restoring.fold(happened);
    auto restored = restoring.done();
    if (!restored)
      return place + restored.error().detail;
    if (told(*restored) != told(prefix))
      return place + told(*restored) + "\n is not \n" + told(prefix);
    for (const auto& later : log.subspan(i + 1))
      session::evolve(*restored, later);
    if (told(*restored) != told(whole))
      return place + "and on to the end: " + told(*restored) + "\n is not \n" + told(whole);
  }
  return std::nullopt;
}

} // namespace troupe::testing
