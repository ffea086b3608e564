// The place of a crash: a database, a gym with a script, a scratch folder with two pipes in it.
#pragma once

#include "providers/gym/server.hpp"
#include "tests/crash/program.hpp"
#include "tests/crash/server_program.hpp"

namespace troupe::testing {

using persistence::must;

/// A rule of the script that calls the shell with each of these commands.
std::string shell_calls(const std::vector<std::string>& commands);

/// Everything that must hold of a session after any death: each of these messages is there once, at its
/// place, and was not taken twice; the log keeps every rule and its chain holds; the session is idle; no
/// request was refused by the gym, which refuses what breaks its rules.
void check_whole(
    persistence::journal& journal, const std::string& id, const std::vector<accepted_message>& accepted);

/// True if so many messages were queued, and each of them was taken.
bool all_taken(persistence::journal& journal, const std::string& id, std::size_t messages);

/// A gym that follows these rules.
std::unique_ptr<providers::gym::server> start_gym(const std::string& rules);

class scene {
 public:
  explicit scene(const std::string& rules);
  ~scene();
  scene(const scene&) = delete;
  scene& operator=(const scene&) = delete;

  /// Starts the driver on the session `s`.
  program start(const std::vector<std::string>& words) const;
  /// Runs the driver to its end, which has to be a good one.
  void finish(const std::vector<std::string>& words) const;

  // -- the scratch folder; commands run in it --
  const std::filesystem::path& folder() const { return scratch_.path; }
  /// The lines of a file there that are `line`.
  std::size_t lines(const std::string& file, const std::string& line) const;
  /// Waits until a command has written a line to the pipe `told`.
  void wait_until_told();
  /// Waits until the command that wrote the last line of `pids` has ended.
  void wait_for_the_command() const;
  /// Lets the next command that reads a line from the pipe `gate` go on.
  void open_gate();

  // -- what is in the database --
  std::vector<event> log();
  std::string types();
  std::size_t count(const std::string& type);
  std::string status();
  /// The same of the session `s`, with the lines that the driver said of its messages.
  void check_whole(const std::vector<std::string>& accepted_lines);

  persistence::postgres_world world;
  std::unique_ptr<providers::gym::server> gym;

 private:
  persistence::temporary_directory scratch_;
  std::unique_ptr<persistence::journal> journal_;
  int told_ = -1;
  int gate_ = -1;
};

/// The events of one type.
template <class T> std::vector<T> all_of(const std::vector<event>& log) {
  std::vector<T> out;
  for (const auto& happened : log)
    if (const auto* const held = std::get_if<T>(&happened.data))
      out.push_back(*held);
  return out;
}

} // namespace troupe::testing
