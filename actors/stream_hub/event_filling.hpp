// Events as readers get them: with the text that the log keeps by content, and with what it leaves out
// because another event has it.
#pragma once

#include "persistence/journal.hpp"

namespace troupe::actors {

/// True if readers get more of the event than is stored in it.
bool needs_filling(const recorded_event& stored);

/// Fills in a page of a session's log; what it refers to is looked up in the page, then further and
/// further back. What isn't there any more (retention) stays as it is stored. Errors: `unavailable`,
/// `corrupt`.
result<std::vector<recorded_event>> filled(
    persistence::journal& journal, const persistence::session_key& session, std::vector<recorded_event> page);

/// Ends the page where it would hold more than about so much, filled in; one event is always left. True if
/// it was cut.
bool cut_page(std::vector<recorded_event>& events, std::size_t bytes_about);

/// The next page after `after` for a reader: at most `limit` events and about a mebibyte, filled in.
struct stream_page {
  std::vector<recorded_event> events;
  bool last = false; ///< there was nothing more when it was read
};
result<stream_page> read_page(persistence::journal& journal, const persistence::session_key& session,
    std::int64_t after, std::size_t limit);

} // namespace troupe::actors
