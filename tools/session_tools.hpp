// Tools that a program gives to single sessions: each only to that one.
#pragma once

#include "tools/tool.hpp"

#include <map>

namespace troupe::tools {

struct offered_tool;

/// For any number of threads.
class session_tools {
 public:
  /// The session has these besides what it was given before. One of the same name takes its place: at once
  /// where it declares the same, else when the session's options are looked at next.
  void give(const std::string& session, std::vector<std::shared_ptr<const offered_tool>> given);
  /// Null if the session was given none of that name.
  std::shared_ptr<const offered_tool> find(const std::string& session, std::string_view name) const;
  /// The names of what the session was given.
  std::vector<std::string> names(const std::string& session) const;
  /// What `from` has now is given to `to`, too, in the place of what that had: a fork begins with the same
  /// functions, and what one of the two is given later is its own.
  void share(const std::string& from, const std::string& to);
  void forget(const std::string& session);

 private:
  using by_name = std::map<std::string, std::shared_ptr<const offered_tool>, std::less<>>;
  mutable std::mutex mutex_;
  std::map<std::string, by_name, std::less<>> given_;
};

} // namespace troupe::tools
