// A session begins: its options, with the defaults that shape decisions filled in.
#include "session/decide.hpp"
#include "session/draft.hpp"

namespace troupe::session {

decision decide(const state& now, const create_session& command, const inputs& in) {
  if (now.exists())
    return problem{problem_code::conflict, "the session `" + now.options->id + "` exists", {}};
  if (!is_id(command.options.id))
    return problem{problem_code::invalid_input,
        "`" + command.options.id.substr(0, 140)
            + "` is no session id: 1 to 128 of A-Z a-z 0-9 . _ - beginning with a letter or digit",
        {}};
  draft d(now, in);
  d.add(session_created{command.options, machine_version, std::nullopt});
  return d.take();
}

} // namespace troupe::session
