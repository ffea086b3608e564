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
/// digest, the chain to the end), then the session is made by `node`, its events with their numbers, times
/// and ids, and let go of. What was at work in it goes on where sessions are taken over. Nothing is left of
/// one that fails half way, unless the process dies: then its session is erased by hand. `progress` hears of
/// the events so far, and may end it by false. Errors: `invalid_input` with the line and the reason,
/// `conflict` if the id exists, `cancelled`, `unavailable`.
result<imported> import_log(persistence::journal& journal, std::int32_t tenant,
    const persistence::node_identity& node, std::istream& from,
    const std::function<bool(std::int64_t)>& progress = {});

} // namespace troupe::actors
