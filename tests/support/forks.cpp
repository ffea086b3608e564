// Judged by what the machine says of the state, not by which events there are.
#include "tests/support/forks.hpp"

#include "session/decide.hpp"
#include "session/evolve.hpp"
#include "session/pairing.hpp"
#include "session/replay/redecide.hpp"
#include "session/work.hpp"
#include "tests/support/world.hpp"

namespace troupe::testing {

forked fork_of(session::state before) {
  forked out;
  out.before = std::move(before);
  options wanted = *out.before.options;
  wanted.id = "fork";
  counting_ids ids;
  const session::look_ups known;
  auto decided = session::decide(
      out.before, fork_session{{"world", out.before.head}, wanted}, {out.before.at, ids, known});
  if (!decided)
    throw std::runtime_error(decided.error().detail);
  out.events = *std::move(decided);
  out.now = out.before;
  for (const auto& happened : out.events)
    session::evolve(out.now, happened);
  return out;
}

forked fork_at(std::span<const event> log, std::int64_t seq) {
  return fork_of(session::fold(log.first(static_cast<std::size_t>(seq))));
}

std::string fork_breach(const forked& fork) {
  const session::state& now = fork.now;
  if (session::status(now) != "idle")
    return "it is " + std::string(session::status(now));
  if (session::needs_work(now) || !session::work(now).empty() || now.has_queued() || session::wake_at(now))
    return "something is left to do";
  if (const auto unpaired = session::pairing_breach(now.context.messages()))
    return *unpaired;
  for (const auto& happened : fork.events)
    if (std::holds_alternative<tool_receipt>(happened.data))
      return "it has a receipt of its own";
  const auto other = session::redecided_difference(command_kind::fork, fork.before, fork.events);
  return other ? "event " + std::to_string(other->seq) + ": " + other->expected + " was " + other->found : "";
}

} // namespace troupe::testing
