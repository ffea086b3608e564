// What the tools do: at once, after a while, only when stopped, wrongly, or not at all.
#include "tests/simulation/staged_tools.hpp"

#include "tests/simulation/witness.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe::simulation {

namespace {

constexpr std::int64_t tool_timeout_ms = 4000;
constexpr std::int64_t client_timeout_ms = 5000;
constexpr std::int64_t never_ms = std::int64_t{1} << 50;

const char* const takes_a_number =
    R"({"type":"object","properties":{"n":{"type":"integer","minimum":0}},"required":["n"],"additionalProperties":false})";

std::vector<tools::tool_spec> specs() {
  std::vector<tools::tool_spec> all;
  const auto add = [&](const char* name) -> tools::tool_spec& {
    auto& spec = all.emplace_back();
    spec.name = name;
    spec.description = "Does what a simulated tool does.";
    spec.parameters = {takes_a_number};
    spec.timeout_ms = tool_timeout_ms;
    return spec;
  };
  add("plain");
  add("durable").durable = true;
  auto& keyed = add("keyed");
  keyed.idempotent = keyed.clearable = true;
  keyed.on_interrupted = interrupted_policy::rerun;
  add("asking").on_interrupted = interrupted_policy::ask;
  add("hanging");
  add("deaf").on_interrupted = interrupted_policy::ask;
  add("failing");
  add("throwing");
  add("serial").sequential = true;
  add("shared").shared = true;
  add("gated");
  add("gated_asking").on_interrupted = interrupted_policy::ask;
  add("ending");
  return all;
}

class staged_tool final : public tools::tool {
 public:
  staged_tool(tools::tool_spec spec, ground& on, ledger& book, const tool_place& where,
      std::function<staged_runner*()> runner)
      : spec_(std::move(spec)), on_(on), book_(book), where_(where), runner_(std::move(runner)) {}
  const tools::tool_spec& spec() const override { return spec_; }

  tools::output run(const tools::call& call) override {
    tools::output out;
    if (where_.dead) {
      out.aborted = true;
      return out;
    }
    book_.invoked(where_, spec_.name, call);
    auto& runner = *runner_();
    if (spec_.name == "hanging")
      runner.wait(call, on_.tame ? on_.now_ms : never_ms, true);
    else if (spec_.name == "deaf")
      runner.wait(call, on_.now_ms + on_.luck.between(0, 20'000), false);
    else if (on_.luck.percent(60))
      runner.wait(call, on_.now_ms + on_.luck.between(0, 3000), true);
    out.aborted = call.cancelled() && on_.luck.percent(80);
    if (spec_.name == "throwing")
      throw std::runtime_error("it blew up");
    out.is_error = spec_.name == "failing";
    if (out.is_error)
      out.error_kind = error_kind::fatal;
    out.terminate = spec_.name == "ending";
    out.content = content(on_.luck.one_in(25) ? std::string(9000, 'r') : "did " + spec_.name);
    return out;
  }

 private:
  tools::tool_spec spec_;
  ground& on_;
  ledger& book_;
  const tool_place& where_;
  std::function<staged_runner*()> runner_;
};

} // namespace

const std::set<std::string>& tools_that_may_run_again() {
  static const std::set<std::string> names{"durable", "keyed", "remote_again"};
  return names;
}

std::vector<client_tool> client_tools_in_simulations() {
  std::vector<client_tool> all;
  for (const char* const name : {"remote", "remote_again", "remote_asking"}) {
    auto& tool = all.emplace_back();
    tool.name = name;
    tool.description = "Is carried out elsewhere.";
    tool.parameters = {takes_a_number};
    tool.timeout_ms = client_timeout_ms;
  }
  all[1].on_interrupted = interrupted_policy::rerun;
  all[2].on_interrupted = interrupted_policy::ask;
  return all;
}

const session::look_ups& known_in_simulations() {
  static const session::look_ups all = [] {
    session::look_ups known;
    known.providers = {{"gym", {"gym", "claude-gym"}}, {"other", {"codex", "gpt-other"}}};
    const auto add = [&](const tools::tool_spec& spec, bool client) {
      known.tool_facts[spec.name] = {.sequential = spec.sequential,
          .shared = spec.shared,
          .client = client,
          .durable = spec.durable,
          .on_interrupted = spec.on_interrupted,
          .timeout_ms = spec.timeout_ms,
          .clearable = spec.clearable,
          .idempotent = spec.idempotent};
    };
    for (const auto& spec : specs())
      add(spec, false);
    for (const auto& tool : client_tools_in_simulations())
      add(tools::spec_of(tool), true);
    return known;
  }();
  return all;
}

void add_staged_tools(tools::tool_box& box, ground& on, ledger& book, const tool_place& where,
    std::function<staged_runner*()> runner) {
  for (auto& spec : specs())
    if (!box.add(std::make_shared<staged_tool>(std::move(spec), on, book, where, runner), "stage"))
      throw std::logic_error("a staged tool isn't lawful");
}

// -- the ledger ------------------------------------------------------------------------------------

void ledger::invoked(const tool_place& where, const std::string& tool, const tools::call& call) {
  ++invocations_;
  on_.story.tell("invoked", where.node, call.attempt, [&] { return tool + " " + call.execution_id; });
  judge(where, tool, call);
  attempts_[call.execution_id].push_back(call.attempt);
}

void ledger::judge(const tool_place& where, const std::string& tool, const tools::call& call) {
  logs_.look();
  const auto& log = logs_.log_of(call.session);
  const std::string what =
      "I-5: `" + tool + "` (" + call.execution_id + ", attempt " + std::to_string(call.attempt) + ") ";
  const auto broken = [&](const std::string& how) { on_.broken("session " + log.id + ": " + what + how); };
  if (!log.started.contains({call.execution_id, call.attempt}))
    return broken("was invoked before `tool.started` was committed");
  if (call.cancelled())
    broken("was invoked though it had been stopped");
  if (on_.now_ms >= where.lease_until_ms)
    broken("was invoked by a node without a lease");
  if (const auto row = logs_.row(log.id); !row || row->epoch != call.epoch)
    broken("was invoked under an epoch that has ended");
  if (log.receipts.contains(call.execution_id))
    broken("was invoked after its receipt");
  if (const auto it = log.arguments.find(call.execution_id);
      it != log.arguments.end() && it->second.text != call.arguments.text)
    broken("was invoked with other arguments than were committed");
  const auto& before = attempts_[call.execution_id];
  if (std::find(before.begin(), before.end(), call.attempt) != before.end())
    broken("was invoked twice");
  const auto reruns = log.reruns.find(call.execution_id);
  const std::size_t allowed = reruns == log.reruns.end() ? 0 : static_cast<std::size_t>(reruns->second);
  if (!tools_that_may_run_again().contains(tool) && before.size() > allowed)
    broken("was invoked again without a person's word");
}

// -- the list --------------------------------------------------------------------------------------

bool staged_runner::run(std::function<void()> work, const std::function<bool()>& may_begin) {
  if (!where_.dead)
    pieces_.push_back({std::move(work), may_begin, nullptr, 0, nullptr, true});
  return true;
}

bool staged_runner::is_ready(const piece& one) const {
  if (!one.thread)
    return one.may_begin();
  return where_.dead || on_.now_ms >= one.until_ms || (one.obeys && one.stop->stopped());
}

std::size_t staged_runner::ready() const {
  return static_cast<std::size_t>(
      std::count_if(pieces_.begin(), pieces_.end(), [&](const piece& one) { return is_ready(one); }));
}

void staged_runner::go_on(std::size_t n) {
  for (auto one = pieces_.begin(); one != pieces_.end(); ++one)
    if (is_ready(*one) && n-- == 0)
      return go_on(one);
}

void staged_runner::go_on(std::list<piece>::iterator one) {
  if (!one->thread)
    one->thread = std::make_unique<hand_over>(std::move(one->work));
  running_ = &*one;
  const bool ended = one->thread->go_on();
  running_ = nullptr;
  if (ended)
    pieces_.erase(one);
}

bool staged_runner::finish_some() {
  for (auto one = pieces_.begin(); one != pieces_.end(); ++one)
    if (is_ready(*one)) {
      go_on(one);
      return true;
    }
  return false;
}

std::optional<std::int64_t> staged_runner::next_ms() const {
  std::optional<std::int64_t> next;
  for (const auto& one : pieces_)
    if (one.thread && one.until_ms < never_ms && one.until_ms > on_.now_ms)
      next = std::min(next.value_or(one.until_ms), one.until_ms);
  return next;
}

void staged_runner::wait(const tools::call& call, std::int64_t until_ms, bool obeys) {
  auto& me = *running_;
  me.until_ms = until_ms;
  me.stop = call.stop;
  me.obeys = obeys;
  hand_over::pause();
}

// The node ends: whatever still runs is cut off, as its process would be.
staged_runner::~staged_runner() {
  where_.dead = true;
  std::erase_if(pieces_, [](const piece& one) { return !one.thread; });
  while (finish_some()) {
  }
  ended_();
}

} // namespace troupe::simulation
