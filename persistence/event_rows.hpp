// Events from the rows of the reading statements in sql.cpp.
#pragma once

#include "persistence/database_connection.hpp"
#include "persistence/journal.hpp"

namespace troupe::persistence {

/// The event of one row.
recorded_event event_of(const seen_row& row);

/// What a row of `read_payloads` holds; it goes with the row.
seen_payload payload_of(const seen_row& row);

/// Rows are numbered upwards; this is for those that weren't.
database_fault out_of_order();

} // namespace troupe::persistence
