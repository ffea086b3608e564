// What came of a verification, as the API and the command line say it.
#include "actors/history/verification.hpp"

namespace troupe::actors {

void put(json::writer& out, const verification& found) {
  out.key("ok").boolean(!found.first_difference).key("events").number(found.events);
  if (found.begins_after > 0)
    out.key("begins_after").number(found.begins_after);
  if (const auto& other = found.first_difference) {
    out.key("first_difference").begin_object().key("seq").number(other->seq);
    out.field("kind", session::name_of(other->kind));
    out.field("expected", other->expected).field("found", other->found).end_object();
  }
}

} // namespace troupe::actors
