// A sandbox for commands, made by bubblewrap: the system to read, the workspace to write, nothing else.
#pragma once

#include "tools/workspace/hidden_places.hpp"

#include "messages/result.hpp"

#include <memory>

namespace troupe::tools {

enum class sandbox_mode {
  none,      ///< commands run as the user that we run as
  automatic, ///< where bubblewrap is there and works
  required,  ///< a workspace without a sandbox is refused
};

struct sandbox_settings {
  sandbox_mode mode = sandbox_mode::none;
  bool network = false;
  std::string program;               ///< bubblewrap; empty: where systems have it
  std::vector<std::string> readable; ///< absolute paths that commands can read, besides the system's
  /// Files and folders that nothing in the workspace may see, even inside of it.
  std::vector<std::string> hidden;
};

class sandbox {
 public:
  /// The program and the folder that can be written. `environment` as of the commands.
  sandbox(std::string program, std::string workspace, const sandbox_settings& settings,
      std::shared_ptr<const hidden_places> hidden, const std::vector<std::string>& environment);

  /// The words that run a command line in it, as a `supervised_command` takes them.
  std::vector<std::string> words(const std::string& command) const;

  bool has_network() const { return network_; }

 private:
  std::string program_;
  std::string workspace_;
  std::string home_;
  bool network_;
  std::vector<std::string> readable_;
  std::shared_ptr<const hidden_places> hidden_;
};

/// What was found when the sandbox was tried.
struct sandbox_trial {
  std::shared_ptr<const sandbox> works; ///< null: commands run without one
  std::string words;                    ///< what was found, and what to do about it
};

/// Runs a trivial command in the sandbox of this workspace, once; whoever asks keeps the answer.
/// Errors: `invalid_input` where the settings contradict themselves; `unsupported` where it is
/// required and doesn't work.
result<sandbox_trial> try_sandbox(const std::string& workspace, const sandbox_settings& settings,
    std::shared_ptr<const hidden_places> hidden, const std::vector<std::string>& environment);

} // namespace troupe::tools
