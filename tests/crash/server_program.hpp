// `troupe serve` as a process: killed, told to leave, and started again on the same port.
#pragma once

#include "tests/crash/program.hpp"
#include "tests/persistence/worlds.hpp"
#include "tests/served/answered.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>

namespace troupe::testing {

class server_program {
 public:
  /// It works with the model server at `gym_url`; `more` are further lines of its configuration, keys of
  /// `[providers.scripted]` first.
  server_program(std::string database, const std::string& gym_url, const std::string& more = {});

  /// Starts it and waits until it listens.
  void start();
  /// SIGKILL; returns when it has ended.
  void kill();
  program& process() { return *process_; }
  std::uint16_t port() const { return port_; }
  /// Waits while the server is down between a `kill` and a `start`.
  void wait_until_up();
  const std::filesystem::path& folder() const { return scratch_.path; }

  /// Status 0 if the server died over it or isn't there.
  answered ask(const std::string& method, const std::string& path, const std::string& body = {}) const;
  answered get(const std::string& path) const { return ask("GET", path); }
  answered post(const std::string& path, const std::string& body = {}) const {
    return ask("POST", path, body);
  }
  /// The same again and again, over deaths of the server and while it says 503, as a client should.
  answered ask_until_answered(
      const std::string& method, const std::string& path, const std::string& body = {});

  /// Makes a session with the workspace's tools.
  void make(const std::string& id);
  answered say(const std::string& id, const std::string& text, const std::string& message_id = {});
  /// Waits until it is idle, and gives it.
  answered until_idle(const std::string& id);

 private:
  persistence::temporary_directory scratch_;
  std::vector<std::string> words_;
  std::optional<program> process_;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::condition_variable came_up_;
  bool up_ = false;
};

/// A message that got its 202.
struct accepted_message {
  std::string session;
  std::string id;
  std::int64_t seq = 0;
};

} // namespace troupe::testing
