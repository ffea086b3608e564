// The ids that calls had over a whole log: no provider takes one twice.
#pragma once

#include <map>
#include <memory>
#include <string>

namespace troupe::session {

/// How often each of the provider's call ids has been used over the whole log. Copies share it.
class used_ids {
 public:
  using table = std::map<std::string, int, std::less<>>;
  used_ids() = default;
  explicit used_ids(table counts) : settled_(std::make_shared<const table>(std::move(counts))) {}
  /// How often it was used before this time.
  int use(const std::string& id);
  table counts() const;

 private:
  std::shared_ptr<const table> settled_;
  std::shared_ptr<const table> recent_; ///< what goes before `settled_`
};

} // namespace troupe::session
