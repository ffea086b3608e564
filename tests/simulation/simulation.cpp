// Draws what happens next, and lets it happen.
#include "tests/simulation/simulation.hpp"

#include <algorithm>

namespace troupe::simulation {

namespace {

constexpr std::size_t places_max = 3;
constexpr std::int64_t steps_max = 40'000; ///< of the part in which things go wrong

} // namespace

simulation::simulation(std::uint64_t seed, bool keep_trace)
    : on_(seed, keep_trace), logs_(on_), book_(on_, logs_), people_(on_, logs_), nodes_(places_max) {
  on_.before_removal = [this] { logs_.look(); };
  auto& luck = on_.luck;
  const auto many = luck.between(1, 4);
  for (std::int64_t i = 1; i <= many; ++i) {
    sessions_.push_back("s" + std::to_string(i));
    logs_.expect(sessions_.back());
  }
  const int trouble = luck.of(std::vector<int>{0, 2, 2, 6, 15});
  for (std::size_t place = 0; place < places_max; ++place) {
    node_plan plan;
    plan.name = "node" + std::to_string(place + 1);
    plan.takes_over = !luck.one_in(6);
    plan.trouble = trouble;
    plan.lease_ms = luck.of(std::vector<std::int64_t>{1000, 3000, 3000, 10'000});
    plan.rest_ms = luck.of(std::vector<std::int64_t>{50, 500, 3000, 60'000});
    plan.writers = luck.one_in(3) ? 2 : 1;
    plan.skew_ms = luck.between(-5000, 5000);
    plans_.push_back(plan);
  }
  requests_left_ = static_cast<std::size_t>(luck.between(10, 60));
  troubles_left_ = static_cast<std::size_t>(luck.of(std::vector<std::int64_t>{0, 1, 3, 6, 10}));
  third_node_from_ = luck.one_in(4) ? luck.between(100, 600) : steps_max;
  start_node(0);
  if (!luck.one_in(4))
    start_node(1);
  for (const auto& session : sessions_)
    for (std::int64_t i = luck.between(0, 2); i > 0; --i)
      readers_.emplace_back(on_, logs_, session);
}

simulation::~simulation() {
  readers_.clear();
  nodes_.clear();
}

outcome simulation::run() {
  while (!on_.breach && requests_left_ > 0 && on_.story.steps() < steps_max)
    step();
  if (!on_.breach)
    come_to_rest();
  if (!on_.breach)
    everybody_reads_on();
  if (!on_.breach)
    compare_live_states();
  end_all();
  if (!on_.breach)
    logs_.judge_all();
  outcome out;
  out.breach = on_.breach;
  out.steps = on_.story.steps();
  out.virtual_ms = on_.now_ms;
  out.hash = on_.story.hash();
  out.invocations = book_.invocations();
  out.crashes = crashes_;
  out.asked = people_.asked();
  out.succeeded = people_.succeeded();
  for (const auto& [id, log] : logs_.logs())
    out.events += log.events.size();
  for (const auto& reader : readers_)
    out.deltas += reader.deltas();
  out.trace = on_.story.lines();
  return out;
}

// -- one step --------------------------------------------------------------------------------------

bool simulation::step() {
  on_.story.begin_step(on_.now_ms);
  const auto next = choose();
  if (!next)
    return false;
  carry_out(*next);
  logs_.look();
  for (std::size_t place = 0; place < nodes_.size(); ++place)
    if (nodes_[place] && nodes_[place]->dies_now())
      crash(place);
  return true;
}

std::vector<std::size_t> simulation::awake() const {
  std::vector<std::size_t> out;
  for (std::size_t place = 0; place < nodes_.size(); ++place)
    if (nodes_[place] && is_awake(*nodes_[place]))
      out.push_back(place);
  return out;
}

std::optional<simulation::choice> simulation::choose() {
  using kind = choice::kind;
  std::vector<std::pair<choice, int>> open; // with its weight
  for (const auto place : awake()) {
    auto& node = *nodes_[place];
    if (const auto models = node.models().ready(); models > 0)
      open.push_back({{kind::model, place, on_.luck.below(models)}, 12});
    if (const auto work = node.runner()->ready(); work > 0)
      open.push_back({{kind::tool, place, on_.luck.below(work)}, 10});
  }
  if (const auto job = choose_job())
    open.push_back({*job, 100});
  const bool busy = !open.empty();
  if (!readers_.empty())
    open.push_back({{kind::reader}, 8});
  if (requests_left_ > 0)
    open.push_back({{kind::client}, busy ? 3 : 12});
  if (on_.troubled && troubles_left_ > 0)
    open.push_back({{kind::trouble}, 1});
  open.push_back({{kind::time}, busy ? 4 : 60});
  int sum = 0;
  for (const auto& [what, weight] : open)
    sum += weight;
  auto at = static_cast<int>(on_.luck.below(static_cast<std::size_t>(sum)));
  for (const auto& [what, weight] : open)
    if ((at -= weight) < 0)
      return what;
  return std::nullopt;
}

// The turn of any actor that has something to do, but for those that are slow just now.
std::optional<simulation::choice> simulation::choose_job() {
  std::erase_if(slow_, [&](const slow_actor& one) { return one.until_step <= on_.story.steps(); });
  std::size_t jobs = 0;
  for (const auto place : awake())
    jobs += nodes_[place]->jobs();
  if (jobs == 0)
    return std::nullopt;
  for (int tries = 0; tries < 10; ++tries) {
    auto nth = on_.luck.below(jobs);
    for (const auto place : awake()) {
      const auto here = nodes_[place]->jobs();
      if (nth >= here) {
        nth -= here;
        continue;
      }
      if (!is_slow(*nodes_[place], nth))
        return choice{choice::kind::job, place, nth};
      break;
    }
  }
  slow_.clear(); // mostly they alone are left
  return std::nullopt;
}

bool simulation::is_slow(const simulated_node& node, std::size_t nth) const {
  return std::any_of(slow_.begin(), slow_.end(), [&](const slow_actor& one) {
    return one.node == node.plan().number && one.actor == node.actor_of(nth);
  });
}

void simulation::carry_out(const choice& what) {
  switch (what.what) {
  case choice::kind::job:
    return run_job(what.node, what.nth);
  case choice::kind::model:
    on_.story.tell("model", nodes_[what.node]->plan().number, static_cast<std::int64_t>(what.nth));
    return nodes_[what.node]->models().go_on(what.nth);
  case choice::kind::tool:
    on_.story.tell("tool", nodes_[what.node]->plan().number, static_cast<std::int64_t>(what.nth));
    return nodes_[what.node]->runner()->go_on(what.nth);
  case choice::kind::reader:
    return read_somewhere();
  case choice::kind::client:
    --requests_left_;
    ask_something();
    return;
  case choice::kind::time:
    return pass_time();
  case choice::kind::trouble:
    return make_trouble();
  }
}

void simulation::run_job(std::size_t place, std::size_t nth) {
  auto& node = *nodes_[place];
  const auto actor = node.actor_of(nth);
  on_.story.tell("node", node.plan().number, actor, [&] { return node.message_of(nth); });
  if (on_.luck.one_in(150))
    slow_.push_back({node.plan().number, actor, on_.story.steps() + on_.luck.between(5, 200)});
  node.run_job(nth);
}

// While anybody is busy a little; else up to what is due next, or a bit of the way.
void simulation::pass_time() {
  std::int64_t passes = on_.luck.between(1, 20);
  bool busy = false;
  std::optional<std::int64_t> next;
  const auto due = [&](std::optional<std::int64_t> when) {
    if (when)
      next = std::min(next.value_or(*when), *when);
  };
  for (const auto& node : nodes_) {
    if (!node)
      continue;
    if (!is_awake(*node)) {
      due(node->paused_until_ms);
      continue;
    }
    busy = busy || node->jobs() > 0 || node->models().ready() > 0 || node->runner()->ready() > 0;
    due(node->next_timeout_ms());
    due(node->models().next_ms());
    due(node->runner()->next_ms());
  }
  if (!busy)
    passes = std::max<std::int64_t>(next.value_or(on_.now_ms + 100) - on_.now_ms, 1);
  on_.now_ms += passes;
  on_.store->advance(passes);
  for (const auto place : awake())
    nodes_[place]->catch_up();
}

// Mostly where the session is, as clients do that were answered there.
void simulation::ask_something() {
  const auto& session = on_.luck.of(sessions_);
  auto* node = some_node();
  if (on_.luck.percent(70))
    for (const auto place : awake())
      if (nodes_[place]->inside().here(session))
        node = nodes_[place].get();
  if (node)
    people_.act(*node, session);
}

void simulation::read_somewhere() {
  auto& reader = readers_[on_.luck.below(readers_.size())];
  if (!reader.is_connected() || on_.luck.one_in(40)) {
    if (auto* const node = some_node())
      reader.connect(*node);
    return;
  }
  reader.read();
}

// -- nodes -----------------------------------------------------------------------------------------

simulated_node* simulation::some_node() {
  const auto places = awake();
  return places.empty() ? nullptr : nodes_[on_.luck.of(places)].get();
}

void simulation::start_node(std::size_t place) {
  auto plan = plans_[place];
  plan.number = ++nodes_started_;
  on_.story.tell("starts", plan.number, static_cast<std::int64_t>(place));
  nodes_[place] = simulated_node::start(on_, logs_, book_, std::move(plan));
}

void simulation::end_readers_of(const simulated_node& node) {
  for (auto& reader : readers_)
    if (reader.reads_from(node))
      reader.leave();
}

void simulation::crash(std::size_t place) {
  auto& node = *nodes_[place];
  on_.story.tell("crashes", node.plan().number);
  ++crashes_;
  node.crash(on_.luck.one_in(2));
  end_readers_of(node);
  nodes_[place].reset();
}

void simulation::end_in_order(std::size_t place) {
  on_.story.tell("ends", nodes_[place]->plan().number);
  end_readers_of(*nodes_[place]);
  nodes_[place].reset();
}

void simulation::make_trouble() {
  --troubles_left_;
  const auto place = on_.luck.below(nodes_.size());
  if (!nodes_[place]) {
    if (place < 2 || on_.story.steps() > third_node_from_)
      start_node(place);
    return;
  }
  const auto kind = on_.luck.below(10);
  if (kind < 4)
    return crash(place);
  if (kind < 5)
    return end_in_order(place);
  if (kind < 6) {
    on_.story.tell("lands", on_.store->land() ? 1 : 0);
    return;
  }
  nodes_[place]->paused_until_ms = on_.now_ms + on_.luck.between(100, 12'000);
  on_.story.tell("stands still", nodes_[place]->plan().number, nodes_[place]->paused_until_ms);
}

outcome simulate(std::uint64_t seed, bool keep_trace) {
  auto out = simulation(seed, keep_trace).run();
  out.seed = seed;
  return out;
}

} // namespace troupe::simulation
