// The node's surroundings, and its messages one at a time.
#include "tests/simulation/simulated_node.hpp"

#include "tests/simulation/witness.hpp"

#include <caf/actor_system.hpp>
#include <caf/scheduled_actor.hpp>

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>

namespace troupe::simulation {

// The store's clock begins here; see persistence/memory_database.hpp.
constexpr std::int64_t first_moment = 1'700'000'000'000'000;

class simulated_node::place final : public actors::surroundings {
 public:
  explicit place(simulated_node& node) : node_(node) {}
  timestamp wall_time() const override {
    return {first_moment + (node_.on_.now_ms + node_.plan_.skew_ms) * 1000};
  }
  std::chrono::steady_clock::time_point steady_time() const override {
    return std::chrono::steady_clock::time_point(std::chrono::milliseconds(node_.on_.now_ms + 1'000'000));
  }
  std::uint64_t random_seed() override { return node_.on_.luck.next(); }
  bool has_threads() const override { return false; }
  void take(caf::actor_system& system) override {
    node_.scheduler_ = dynamic_cast<caf::scheduler::test_coordinator*>(&system.scheduler());
  }
  void run() override {
    if (!node_.scheduler_)
      return;
    while (node_.run_some()) {
    }
    if (!node_.is_dead())
      return;
    node_.scheduler_->clock().cancel_all(); // what was timed holds actors that nothing will wake
    while (node_.run_some()) {
    }
  }
  std::unique_ptr<actors::tool_runner> make_tool_runner() override {
    auto made = std::make_unique<staged_runner>(node_.on_, node_.tools_, [this] { node_.runner_ = nullptr; });
    node_.runner_ = made.get();
    return made;
  }

 private:
  simulated_node& node_;
};

simulated_node::simulated_node(ground& on, node_plan plan)
    : on_(on), plan_(std::move(plan)), tools_{plan_.number, false, 0}, journals_{tools_, false, 0},
      started_ms_(on.now_ms), place_(std::make_shared<place>(*this)) {}

std::unique_ptr<simulated_node> simulated_node::start(
    ground& on, witness& logs, ledger& book, node_plan plan) {
  std::unique_ptr<simulated_node> made(new simulated_node(on, std::move(plan)));
  auto& me = *made;
  me.models_ = std::make_shared<scripted_provider>(on, logs, me.plan_.number);
  actors::node_settings settings;
  settings.on = me.place_;
  settings.open_journal = [&on, &me] {
    return result<std::shared_ptr<persistence::journal>>(make_troubled_journal(on, me.journals_));
  };
  for (const auto& [id, fact] : known_in_simulations().providers)
    settings.providers[id] = {me.models_, fact, 100, 5000};
  add_staged_tools(settings.tools, on, book, me.tools_, [&me] { return me.runner_; });
  me.identity_.id = "node-" + std::to_string(me.plan_.number);
  me.identity_.name = me.plan_.name;
  settings.identity = me.identity_;
  settings.writers = me.plan_.writers;
  settings.lease = std::chrono::milliseconds(me.plan_.lease_ms);
  settings.rest_before_leaving = std::chrono::milliseconds(me.plan_.rest_ms);
  settings.takes_over = me.plan_.takes_over;
  auto node = actors::node::start(std::move(settings));
  if (!node)
    return nullptr;
  me.node_ = *std::move(node);
  me.desk_ = std::make_unique<actors::reception>(*me.node_);
  me.journals_.trouble = me.plan_.trouble;
  return made;
}

simulated_node::~simulated_node() {
  alive_.reset();
  if (!node_)
    return;
  journals_.trouble = 0;
  node_.reset();
}

void simulated_node::crash(bool seen_at_once) {
  tools_.dead = true;
  alive_.reset();
  models_->drop();
  if (seen_at_once)
    on_.store->bury(identity_.id);
}

std::int64_t simulated_node::actor_of(std::size_t n) const {
  const auto* const actor = dynamic_cast<const caf::abstract_actor*>(scheduler_->jobs[n]);
  return actor ? static_cast<std::int64_t>(actor->id()) : 0;
}

std::string simulated_node::message_of(std::size_t n) const {
  auto* const actor = dynamic_cast<caf::scheduled_actor*>(scheduler_->jobs[n]);
  const auto* const next = actor ? actor->mailbox().peek() : nullptr;
  if (!next)
    return "";
  std::string out;
  for (std::size_t i = 0; i < next->content().size(); ++i) {
    const auto type = next->content().type(i);
    if (!type.second) {
      out += " #" + std::to_string(type.first);
      continue;
    }
    int status = 0;
    char* const name = abi::__cxa_demangle(type.second->name(), nullptr, nullptr, &status);
    out += " " + std::string(name ? name : type.second->name());
    std::free(name);
  }
  return out;
}

void simulated_node::run_job(std::size_t n) {
  auto& jobs = scheduler_->jobs;
  auto* const chosen = jobs[n];
  jobs.erase(jobs.begin() + static_cast<std::ptrdiff_t>(n));
  jobs.push_front(chosen);
  scheduler_->run_once();
}

// For who waits: each actor in its turn, and what was told to stop. An actor that goes on and on is put at
// the front by the scheduler: it goes to the back, or it would keep the others from ever coming.
bool simulated_node::run_some() {
  auto& jobs = scheduler_->jobs;
  if (!jobs.empty()) {
    auto* const chosen = jobs.front();
    scheduler_->run_once();
    if (!jobs.empty() && jobs.front() == chosen) {
      jobs.pop_front();
      jobs.push_back(chosen);
    }
    return true;
  }
  return models_->finish_one() || (runner_ && runner_->finish_some());
}

std::int64_t simulated_node::tick_ms() const {
  const auto passed = scheduler_->clock().current_time.time_since_epoch();
  return started_ms_ + std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
}

std::optional<std::int64_t> simulated_node::next_timeout_ms() const {
  const auto& schedule = scheduler_->clock().schedule();
  if (schedule.empty())
    return std::nullopt;
  const auto due = schedule.begin()->first.time_since_epoch();
  return started_ms_ + std::chrono::duration_cast<std::chrono::milliseconds>(due).count() + 1;
}

void simulated_node::catch_up() {
  if (const auto behind = on_.now_ms - tick_ms(); behind > 0)
    scheduler_->advance_time(std::chrono::milliseconds(behind));
}

} // namespace troupe::simulation
