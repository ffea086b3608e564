// Which SQLSTATE is helped by what (PostgreSQL, appendix A).
#include "persistence/database_fault.hpp"

namespace troupe::persistence {

remedy remedy_for(std::string_view sqlstate) {
  if (sqlstate.empty())
    return remedy::reconnect;
  if (sqlstate == "40001" || sqlstate == "40P01" || sqlstate == "55P03")
    return remedy::retry; // serialization, deadlock, lock not available
  const auto kind = sqlstate.substr(0, 2);
  if (kind == "08" || sqlstate == "57P01" || sqlstate == "57P02" || sqlstate == "26000"
      || sqlstate == "40003")
    return remedy::reconnect; // 26000: our prepared statement is gone, so this is another connection
  // data, integrity, too complex or too large, raised by a trigger, an operand that isn't supported
  for (const std::string_view culprit : {"22", "23", "54", "P0", "0A", "21", "XX"})
    if (kind == culprit)
      return remedy::halve;
  return remedy::wait;
}

bool database_fault::connection_is_gone() const {
  // A server that has become read-only was demoted or is full: what we want may be elsewhere now.
  return helps() == remedy::reconnect || sqlstate_ == "25006" || sqlstate_ == "57P03"
      || sqlstate_.substr(0, 2) == "XX";
}

problem to_problem(const database_fault& fault, std::string_view doing) {
  const bool ours = fault.helps() == remedy::halve;
  return {ours ? problem_code::internal : problem_code::unavailable,
      std::string(doing) + " failed: " + fault.what(), {}};
}

} // namespace troupe::persistence
