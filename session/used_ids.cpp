// The newest names stand apart, so that one more costs a copy of few.
#include "session/used_ids.hpp"

namespace troupe::session {

int used_ids::use(const std::string& id) {
  static constexpr std::size_t recent_max = 64;
  auto counted = recent_ ? *recent_ : table();
  auto found = counted.find(id);
  if (found == counted.end()) {
    int before = 0;
    if (settled_)
      if (const auto settled = settled_->find(id); settled != settled_->end())
        before = settled->second;
    found = counted.emplace(id, before).first;
  }
  const int before = found->second++;
  if (counted.size() > recent_max) {
    auto merged = settled_ ? *settled_ : table();
    for (const auto& [name, count] : counted)
      merged[name] = count;
    settled_ = std::make_shared<const table>(std::move(merged));
    counted.clear();
  }
  recent_ = std::make_shared<const table>(std::move(counted));
  return before;
}

used_ids::table used_ids::counts() const {
  table all = settled_ ? *settled_ : table();
  if (recent_)
    for (const auto& [name, count] : *recent_)
      all[name] = count;
  return all;
}

} // namespace troupe::session
