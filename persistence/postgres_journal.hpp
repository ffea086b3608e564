// The journal over PostgreSQL: one connection, one statement a batch, every append fenced.
#pragma once

#include "persistence/group_commit.hpp"
#include "persistence/journal.hpp"

namespace troupe::persistence {

struct postgres_settings {
  std::string url; ///< whatever libpq takes: `postgresql://…` or `key=value …`
  patience waiting;
};

/// Opens a journal: connects, and checks that the schema is there. Errors: `unavailable`.
/// A journal is for one thread; only `stop` may be called from another one.
result<std::unique_ptr<journal>> open_postgres_journal(postgres_settings settings);

} // namespace troupe::persistence
