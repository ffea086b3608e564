// Events as readers get them: with the text that the log keeps by content, and with what it leaves out
// because another event has it.
#pragma once

#include "persistence/journal.hpp"

namespace troupe::actors {

/// True if readers get more of the event than is stored in it.
bool needs_filling(const recorded_event& stored);

/// Fills in a page of a session's log; what it refers to is looked up in the page, then further and
/// further back. Errors: `unavailable`; `corrupt` where something it refers to isn't there.
result<std::vector<recorded_event>> filled(
    persistence::journal& journal, const persistence::session_key& session, std::vector<recorded_event> page);

/// The next page after `after` for a reader: at most `limit` events and about a mebibyte, filled in.
struct stream_page {
  std::vector<recorded_event> events;
  bool last = false; ///< there was nothing more when it was read
};
result<stream_page> read_page(persistence::journal& journal, const persistence::session_key& session,
    std::int64_t after, std::size_t limit);

} // namespace troupe::actors
