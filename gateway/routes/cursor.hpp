// Where a page of sessions ended, as clients hand it back: opaque to them.
#pragma once

#include "messages/problem.hpp"
#include "persistence/journal.hpp"

namespace troupe::gateway {

std::string cursor_of(const persistence::session_row& last);
/// Nothing for what isn't such a cursor.
std::optional<persistence::page_mark> mark_of(std::string_view cursor);
problem bad_cursor(std::string_view given);

} // namespace troupe::gateway
