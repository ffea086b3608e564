// What runs for a session right now, so that an abort is never deaf: it stops effects from any
// thread, while the agent may be waiting for the database (D-41).
#pragma once

#include "tools/tool.hpp"

#include <map>
#include <mutex>
#include <string>

namespace troupe::actors {

class running_effects {
 public:
  /// The effect's stop, or null if the session is being stopped: it must not begin then.
  std::shared_ptr<tools::stop_source> begin(const std::string& key);
  void end(const std::string& key);
  bool runs(const std::string& key) const;
  std::vector<std::string> keys() const;
  void stop(const std::string& key);
  /// Stops all, and lets none begin until `resume`.
  void stop_all();
  void resume();

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<tools::stop_source>> running_;
  bool stopping_ = false;
};

} // namespace troupe::actors
