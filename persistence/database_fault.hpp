// What went wrong with the database, and what helps: try again, connect anew, wait, or find the culprit.
#pragma once

#include "messages/problem.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

namespace troupe::persistence {

enum class remedy {
  retry,     ///< the transaction lost against another one: the same again
  reconnect, ///< the connection is gone; whether a commit went through isn't known
  wait,      ///< the server can't now: starting, full, out of connections, read-only, misconfigured
  halve,     ///< something in the statement can't be stored: halved until the culprit is alone
};

/// Trouble with the database. The text has what the server said and never a password.
class database_fault : public std::runtime_error {
 public:
  database_fault(remedy what_helps, std::string sqlstate, const std::string& what)
      : std::runtime_error(what), remedy_(what_helps), sqlstate_(std::move(sqlstate)) {}
  remedy helps() const { return remedy_; }
  const std::string& sqlstate() const { return sqlstate_; }
  /// True if the connection can't be used again.
  bool connection_is_gone() const;

 private:
  remedy remedy_;
  std::string sqlstate_;
};

/// What helps against an error with this SQLSTATE; empty: the connection broke.
remedy remedy_for(std::string_view sqlstate);

/// The fault as a caller sees it that doesn't wait: `unavailable`, or `internal` for what waiting
/// wouldn't change.
problem to_problem(const database_fault& fault, std::string_view doing);

} // namespace troupe::persistence
