// A batch as the parameters of the statements in append_sql.cpp.
#pragma once

#include "persistence/append_store.hpp"
#include "persistence/database_connection.hpp"
#include "persistence/recent_blobs.hpp"

namespace troupe::persistence {

struct append_parameters {
  binary_parameters values;
  bool with_content = false; ///< there are claims or content: for `append_events_and_content`
};

/// What `stored` knows to be there isn't sent again. `whole`: also where there are neither claims nor
/// content.
append_parameters append_parameters_of(
    const std::vector<session_write>& writes, recent_blobs& stored, bool whole = false);

} // namespace troupe::persistence
