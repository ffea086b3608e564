// What runs for a session right now, so that an abort is never deaf: it stops effects from any
// thread, while the agent may be waiting for the database (D-41).
#pragma once

#include "tools/tool.hpp"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace troupe::actors {

class running_effects {
 public:
  /// The effect's stop, or null while effects are held back: it must not begin then.
  std::shared_ptr<tools::stop_source> begin(const std::string& key);
  void end(const std::string& key);
  bool runs(const std::string& key) const;
  std::vector<std::string> keys() const;
  void stop(const std::string& key);
  /// Lets none begin until `release`, and gives the stops of those that run: an abort holds, is
  /// ordered, and stops these and no others, however late it comes to that.
  std::vector<std::shared_ptr<tools::stop_source>> hold();
  void release();
  /// Stops all, and lets none begin any more.
  void end_all();
  /// True after `end_all`: the agent is on its way out.
  bool over() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<tools::stop_source>> running_;
  int holds_ = 0;
  bool over_ = false;
};

} // namespace troupe::actors
