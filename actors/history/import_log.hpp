// A log that was exported becomes a session again, if everything in it is right.
#pragma once

#include "persistence/journal.hpp"

#include <functional>
#include <istream>

namespace troupe::actors {

struct imported {
  std::string session;
  std::int64_t events = 0;
  std::int64_t blobs = 0;
};

/// Reads `from` twice: first every line is checked (form, order, content by its name, each decision and
/// digest, the chain to the end), then its events are stored by `node`, with their numbers, times and ids,
/// under a name of their own. The session gets its name when all of it is there and is what was checked; then
/// it is let go of, and what was at work in it goes on where sessions are taken over. Nothing is left of one
/// that fails half way; if the process dies, a session `import-UUID` that nobody runs. `progress` hears of
/// the events so far, and may end it by false. Errors: `invalid_input` with the line and the reason, or if
/// `from` can't be read twice; `conflict` if the id exists, or the file was changed meanwhile; `cancelled`,
/// `unavailable`.
result<imported> import_log(persistence::journal& journal, std::int32_t tenant,
    const persistence::node_identity& node, std::istream& from,
    const std::function<bool(std::int64_t)>& progress = {});

} // namespace troupe::actors
