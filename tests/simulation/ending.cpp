// Faults cease, and everything must come to rest; then everything that was seen is compared.
#include "tests/simulation/simulation.hpp"

#include <algorithm>

namespace troupe::simulation {

namespace {

constexpr std::int64_t patience_ms = 600'000;
constexpr std::int64_t steps_most = 60'000;

} // namespace

// What still wants work has an owner or finds one; nothing may be left lying.
bool simulation::rests(watched_log& log) {
  if (log.events.empty())
    return true;
  const auto& now = log.state;
  if (now.closed)
    return true;
  if (now.has_queued() && !now.held && !now.parked)
    return false;
  const auto status = session::status(now);
  return status != "running" && status != "waiting" && !session::needs_work(now);
}

bool simulation::is_quiet() const {
  for (const auto& node : nodes_)
    if (node && (node->jobs() > 0 || node->models().ready() > 0 || node->runner()->ready() > 0))
      return false;
  return true;
}

std::string simulation::how_it_stands(const watched_log& log) {
  const auto& now = log.state;
  std::string out = std::string(session::status(now)) + " at " + std::to_string(now.head);
  for (const auto& call : now.calls)
    out += ", `" + call.name + "` in phase " + std::to_string(static_cast<int>(call.phase))
        + (call.deadline ? " until " + to_string(*call.deadline) : "");
  if (const auto row = logs_.row(log.id))
    out += "; its row is of " + row->node.value_or("nobody") + ", " + row->view.status
        + (row->view.needs_work ? ", needs work" : "")
        + (row->view.wake_at ? ", wakes at " + to_string(*row->view.wake_at) : "");
  return out;
}

void simulation::come_to_rest() {
  on_.story.tell("faults cease");
  on_.troubled = false;
  on_.tame = true;
  requests_left_ = 0;
  while (on_.store->land()) {
  }
  on_.store->heal();
  // Nodes that look for no work of others are commands: they end, and servers go on.
  for (std::size_t place = 0; place < nodes_.size(); ++place)
    if (nodes_[place] && !plans_[place].takes_over)
      end_in_order(place);
    else if (nodes_[place])
      nodes_[place]->paused_until_ms = std::min(nodes_[place]->paused_until_ms, on_.now_ms);
  for (const auto place : awake())
    nodes_[place]->catch_up();
  if (awake().empty()) {
    plans_[0].takes_over = true;
    start_node(0);
  }
  const auto until_ms = on_.now_ms + patience_ms;
  const auto until_step = on_.story.steps() + steps_most;
  while (!on_.breach) {
    auto& logs = logs_.logs();
    const auto restless =
        std::find_if(logs.begin(), logs.end(), [&](auto& log) { return !rests(log.second); });
    if (restless == logs.end() && is_quiet())
      return;
    if (on_.now_ms > until_ms || on_.story.steps() > until_step)
      return on_.broken(restless == logs.end() ? "the nodes don't come to rest"
                                               : "session " + restless->first
                  + " doesn't come to rest: it is " + how_it_stands(restless->second));
    if (is_quiet() || on_.luck.one_in(200))
      for (auto& [id, log] : logs)
        if (auto* const node = some_node())
          people_.answer_what_waits(*node, id);
    step();
  }
}

void simulation::everybody_reads_on() {
  const auto at_head = [&](const follower& reader) {
    return reader.last() == static_cast<std::int64_t>(logs_.log_of(reader.session()).events.size());
  };
  const auto until_ms = on_.now_ms + patience_ms;
  while (!on_.breach && !std::all_of(readers_.begin(), readers_.end(), at_head)) {
    if (on_.now_ms > until_ms)
      return on_.broken("I-10: a reader doesn't get what was committed");
    for (auto& reader : readers_)
      if (!reader.is_connected()) {
        if (auto* const node = some_node())
          reader.connect(*node);
      } else {
        reader.read();
      }
    step();
  }
}

void simulation::compare_live_states() {
  for (const auto& session : sessions_)
    if (!logs_.log_of(session).events.empty())
      for (const auto place : awake())
        people_.look(*nodes_[place], session);
  const auto until_ms = on_.now_ms + 2000;
  while (!on_.breach && on_.now_ms < until_ms)
    step();
}

void simulation::end_all() {
  if (on_.breach) // whatever is wrong: it mustn't be waited for
    for (auto& node : nodes_)
      if (node)
        node->crash(true);
  for (std::size_t place = 0; place < nodes_.size(); ++place)
    if (nodes_[place])
      end_in_order(place);
}

std::string report(const outcome& failed, std::size_t lines) {
  std::string out = "seed " + std::to_string(failed.seed) + ", step " + std::to_string(failed.steps) + ": "
      + failed.breach.value_or("nothing was broken") + "\n  see it again: scripts/simulate --seed "
      + std::to_string(failed.seed) + " --trace\n";
  const std::size_t from = failed.trace.size() - std::min(failed.trace.size(), lines);
  for (std::size_t i = from; i < failed.trace.size(); ++i)
    out += failed.trace[i] + "\n";
  return out;
}

} // namespace troupe::simulation
