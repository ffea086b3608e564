// What the session is at its rest is written down, so that its log can go on without what came before (D-01).
#include "session/carried_state.hpp"
#include "session/decide.hpp"
#include "session/draft.hpp"
#include "session/snapshot.hpp"

namespace troupe::session {

decision decide(const state& now, const trim& command, const inputs& in) {
  if (now.options->retention != "context")
    return problem{problem_code::conflict,
        "the session `" + now.options->id + "` keeps its log: its `retention` is `" + now.options->retention
            + "`",
        {}};
  if (!can_be_kept(now))
    return problem{problem_code::conflict,
        "the session `" + now.options->id + "` is at work: its log stays until it rests", {}};
  draft d(now, in);
  const bool nothing_came_since = now.trimmed_through > 0 && now.head == now.trimmed_through + 1;
  if (!nothing_came_since)
    d.add(context_trimmed{now.head, command.anchor, referenced_text(carry(now))});
  return d.take();
}

} // namespace troupe::session
