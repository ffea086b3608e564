// What every journal can do through its other calls.
#include "persistence/journal.hpp"

#include <algorithm>

namespace troupe::persistence {

result<void> journal::read_payloads(const session_key& session, std::int64_t after, std::int64_t through,
    const std::vector<std::string>& types, const std::function<void(const seen_payload&)>& show) {
  const auto events =
      read(session, after, static_cast<std::size_t>(std::max<std::int64_t>(through - after, 0)), types);
  if (!events)
    return events.error();
  for (const auto& event : *events)
    if (event.seq <= through)
      show({event.seq, event.type, event.version, event.payload});
  return {};
}

} // namespace troupe::persistence
