// Whoever runs a session holds its offer: what stands behind a name can be exchanged under it.
#include "tools/session_tools.hpp"

#include "tools/tool_box.hpp"

namespace troupe::tools {

namespace {

/// Runs by whatever was given last.
class exchangeable_tool final : public tool {
 public:
  explicit exchangeable_tool(std::shared_ptr<tool> now) : spec_(now->spec()), now_(std::move(now)) {}
  const tool_spec& spec() const override { return spec_; }
  json::raw prepare_arguments(json::raw given) const override {
    return now()->prepare_arguments(std::move(given));
  }
  output run(const call& call) override { return now()->run(call); }

  std::shared_ptr<tool> now() const {
    const std::scoped_lock lock(mutex_);
    return now_;
  }
  void exchange(std::shared_ptr<tool> other) {
    const std::scoped_lock lock(mutex_);
    now_ = std::move(other);
  }

 private:
  const tool_spec spec_;
  mutable std::mutex mutex_;
  std::shared_ptr<tool> now_;
};

} // namespace

namespace {

std::shared_ptr<const offered_tool> of_its_own(const offered_tool& one, std::shared_ptr<tool> run_by) {
  auto made = std::make_shared<offered_tool>(one);
  made->run_by = std::make_shared<exchangeable_tool>(std::move(run_by));
  return made;
}

} // namespace

void session_tools::give(const std::string& session, std::vector<std::shared_ptr<const offered_tool>> given) {
  if (given.empty())
    return;
  const std::scoped_lock lock(mutex_);
  auto& there = given_[session];
  for (auto& one : given) {
    const auto before = there.find(one->spec.name);
    if (before != there.end() && before->second->spec == one->spec)
      static_cast<exchangeable_tool&>(*before->second->run_by).exchange(one->run_by);
    else
      there[one->spec.name] = of_its_own(*one, one->run_by);
  }
}

std::shared_ptr<const offered_tool> session_tools::find(
    const std::string& session, std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  const auto there = given_.find(session);
  if (there == given_.end())
    return nullptr;
  const auto found = there->second.find(name);
  return found == there->second.end() ? nullptr : found->second;
}

std::vector<std::string> session_tools::names(const std::string& session) const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> out;
  if (const auto there = given_.find(session); there != given_.end())
    for (const auto& [name, tool] : there->second)
      out.push_back(name);
  return out;
}

void session_tools::share(const std::string& from, const std::string& to) {
  const std::scoped_lock lock(mutex_);
  const auto there = given_.find(from);
  if (there == given_.end())
    return;
  by_name own;
  for (const auto& [name, one] : there->second)
    own[name] = of_its_own(*one, static_cast<exchangeable_tool&>(*one->run_by).now());
  given_[to] = std::move(own);
}

void session_tools::forget(const std::string& session) {
  const std::scoped_lock lock(mutex_);
  if (const auto there = given_.find(session); there != given_.end())
    given_.erase(there);
}

} // namespace troupe::tools
