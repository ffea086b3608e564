// The one door: whichever command, and what holds for all of them.
#include "session/decide.hpp"

namespace troupe::session {

decision decide(const state& now, const command& given, const inputs& in) {
  const bool creates = std::holds_alternative<create_session>(given);
  if (!now.exists() && !creates)
    return problem{problem_code::not_found, "the session has no events yet", {}};
  return std::visit([&](const auto& held) { return decide(now, held, in); }, given);
}

} // namespace troupe::session
