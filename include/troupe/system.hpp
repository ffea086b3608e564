// A system: the node of a process, with its database, its providers and its tools.
#pragma once

#include <troupe/agent.hpp>
#include <troupe/config.hpp>

namespace troupe {

/// How a system behaves beside others on the same database.
struct system_options {
  std::vector<agent_tool> tools{}; ///< that any session may name
  /// Takes sessions by itself that were left with work by processes that are gone. Only where every process
  /// on the database has the same tools; without it a session is worked on where a program opens it.
  bool takes_over = false;
  /// A session that has rested for so long leaves the memory, and other processes can have it; what is asked
  /// of it takes it again.
  std::chrono::milliseconds rest{60'000};
};

/// Several threads may use one. It runs threads of its own; ending it lets go of every session, in order, and
/// whoever takes one later goes on with it. Not to be ended from a continuation or a tool.
class system {
 public:
  /// Finds or starts the database, and takes part in it. A private cluster's schema is brought up to date,
  /// that of a server is checked. Throws `error`: `invalid_input`, `unavailable`, `conflict`.
  explicit system(configuration settings, system_options how = {});
  system(system&&) noexcept;
  system& operator=(system&&) noexcept;
  ~system();

  /// The session, made if it isn't there. One that exists goes on with what was cut off, and keeps its
  /// options; its tools are given anew. Throws `error`: `invalid_input` with the option that is wrong,
  /// `owned_elsewhere` where another process has it.
  agent open(agent_options wanted);
  /// A new one. Throws `error`: as above, and `conflict` if the id exists.
  agent create(agent_options wanted);
  /// A handle where there is such a session, which isn't loaded yet.
  std::optional<agent> find(const std::string& id);
  /// Erases it for good; whoever runs it ends. Throws `error`: `not_found`, `owned_elsewhere`.
  void erase(const std::string& id);
  /// The ids of the newest sessions, at most 1,000. `status`: only those; empty: all.
  std::vector<std::string> sessions(const std::string& status = {});

 private:
  agent begin(agent_options wanted, bool anew);
  void take_back_tools(const std::string& id);
  library::running_system& running() const;
  std::shared_ptr<library::running_system> running_;
};

} // namespace troupe
