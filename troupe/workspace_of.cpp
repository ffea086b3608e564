// From `[tools.workspace]` to the settings of the tools, and what of ours they may not see.
#include "troupe/composition.hpp"

extern char** environ;

namespace troupe::library {

tools::workspace_settings workspace_settings_of(const config::configuration& configuration) {
  const auto& from = configuration.workspace;
  tools::workspace_settings out;
  out.root = from.root;
  out.environment = tools::clean_environment(environ);
  out.shell_timeout_ms = from.shell_timeout_ms;
  out.shell_grace_ms = from.shell_grace_ms;
  out.sandbox.mode = from.sandbox == "none" ? tools::sandbox_mode::none
      : from.sandbox == "required"          ? tools::sandbox_mode::required
                                            : tools::sandbox_mode::automatic;
  out.sandbox.network = from.network;
  out.sandbox.readable = from.readable;
  out.sandbox.hidden = configuration.secret_files;
  out.sandbox.hidden.push_back(configuration.data_dir);
  return out;
}

} // namespace troupe::library
