// The shell that the properties are tried with: no actors, no waiting.
#include "tests/support/world.hpp"

#include <array>
#include <stdexcept>

namespace troupe::testing {

namespace {

std::string id_number(std::uint64_t n) { return uuid_v7(timestamp{0}, n >> 32, n); }

const std::map<std::string, session::tool_fact>& facts() {
  static const std::map<std::string, session::tool_fact> all = [] {
    std::map<std::string, session::tool_fact> tools;
    tools["plain"].clearable = true;
    tools["durable"].durable = tools["durable"].idempotent = tools["durable"].clearable = true;
    tools["asking"].on_interrupted = interrupted_policy::ask;
    tools["gated"];
    tools["serial"].sequential = true;
    tools["keyed"].idempotent = true;
    tools["shared"].shared = true;
    for (const char* const name : {"remote", "remote_again", "remote_asking"}) {
      tools[name].client = true;
      tools[name].timeout_ms = client_timeout_ms;
    }
    tools["remote_again"].on_interrupted = interrupted_policy::rerun;
    tools["remote_asking"].on_interrupted = interrupted_policy::ask;
    return tools;
  }();
  return all;
}

std::vector<call_check> checks_of(const session::state& now, const std::vector<block>& more) {
  std::vector<call_check> checks;
  auto check = [&](const std::string& name) {
    checks.push_back(facts().contains(name)
            ? call_check{}
            : call_check{"Tool \"" + name + "\" is not available.", error_kind::invalid_input});
  };
  for (const auto& [index, call] : now.inference->calls)
    check(call->name);
  for (const auto& block : more)
    if (const auto* const call = std::get_if<tool_call_block>(&block))
      check(call->name);
  return checks;
}

} // namespace

std::string counting_ids::next() { return id_number(++given); }

block call_of(const std::string& name, const std::string& call_id) {
  return tool_call_block{call_id, name, json::raw{"{}"}, std::nullopt};
}

const std::set<std::string>& world::durable_tools() {
  static const std::set<std::string> names{"durable", "remote_again"};
  return names;
}

world::world(troupe::options options)
    : known{"Be brief.", "[]", facts(), {{"gym", {"gym", "claude-test"}}, {"other", {"codex", "gpt-test"}}},
        true} {
  options.id = "world";
  options.provider = "gym";
  options.model = "claude-test";
  if (!options.permissions)
    options.permissions = std::vector<permission_rule>{{"gated", permission::ask, std::nullopt}};
  apply(create_session{std::move(options)});
}

session::inputs world::inputs(id_source& ids, timestamp at) const {
  return {at, ids, known, compaction_wanted};
}

std::optional<problem> world::apply(const command& what) {
  clock_.microseconds += 1000;
  const std::uint64_t before = ids_.given;
  auto decided = session::decide(state_, what, inputs(ids_, clock_));
  if (!decided)
    return decided.error();
  if (decided->empty())
    return std::nullopt;
  appends_.push_back({what, log_.size(), decided->size(), before, clock_, compaction_wanted});
  for (auto& event : *decided) {
    session::evolve(state_, event);
    log_.push_back(std::move(event));
  }
  return std::nullopt;
}

void world::settle() {
  for (int steps = 0; const auto next = session::next_step(state_, facts()); ++steps) {
    if (steps > 1000)
      throw std::logic_error("the session never comes to rest");
    const auto head = state_.head;
    apply(*next);
    if (state_.head == head)
      throw std::logic_error("a step that is owed changes nothing");
  }
}

void world::crash() {
  state_ = session::fold(log_);
  apply(recover{"crash"});
  settle();
}

void world::park() {
  log_.push_back({state_.head + 1, clock_, std::nullopt, session_parked{"its agent died 5 times in a row"}});
  session::evolve(state_, log_.back());
}

world world::of(const world& like, std::vector<event> log) {
  world copy = like;
  copy.log_ = std::move(log);
  std::erase_if(
      copy.appends_, [&](const world_append& a) { return a.log_before + a.events > copy.log_.size(); });
  copy.state_ = session::fold(copy.log_);
  return copy;
}

world world::from(const world& other, std::size_t log_size) {
  const auto end = other.log_.begin() + static_cast<std::ptrdiff_t>(log_size);
  world copy = of(other, {other.log_.begin(), end});
  copy.crash();
  return copy;
}

void world::answer(std::string stop, std::vector<block> blocks) {
  if (!state_.inference || !state_.inference->open)
    return;
  inference_answer answer;
  answer.finish.inference_id = state_.inference->data->inference_id;
  answer.finish.stop = stop;
  answer.checks = checks_of(state_, blocks);
  answer.blocks = std::move(blocks);
  apply(answer);
  settle();
}

void world::fail_answer(std::string message) {
  if (!state_.inference || !state_.inference->open)
    return;
  inference_answer answer;
  answer.finish.inference_id = state_.inference->data->inference_id;
  answer.finish.state = inference_state::error;
  answer.finish.error = failure{"overloaded", std::nullopt, true, std::move(message)};
  apply(answer);
  settle();
}

void world::fail_for_length() {
  if (!state_.inference || !state_.inference->open)
    return;
  inference_answer answer;
  answer.finish.inference_id = state_.inference->data->inference_id;
  answer.finish.state = inference_state::error;
  answer.finish.error = failure{"context_overflow", 400, false, "prompt is too long"};
  apply(answer);
  settle();
}

void world::finish_tool(std::size_t n, bool is_error, bool terminate) {
  static constexpr std::array kinds{error_kind::fatal, error_kind::transient, error_kind::timeout,
      error_kind::precondition, error_kind::invalid_input};
  std::vector<tool_answer> running;
  for (const auto& item : session::work(state_))
    if (const auto* const tool = std::get_if<session::run_tool>(&item))
      running.push_back(
          {tool->execution_id, tool->attempt, is_error ? tool_outcome::failed : tool_outcome::completed,
              content("done"), is_error, is_error ? std::optional(kinds[n % kinds.size()]) : std::nullopt,
              std::nullopt, terminate, std::nullopt});
  if (running.empty())
    return;
  apply(running[n % running.size()]);
  settle();
}

void world::bring_result(std::size_t n, bool is_error) {
  std::vector<client_result> open;
  for (const auto& call : state_.calls)
    if (call.client && call.phase == session::call_phase::running)
      open.push_back({call.execution_id, content("from afar"), is_error, std::nullopt, false, std::nullopt});
  if (open.empty())
    return;
  apply(open[n % open.size()]);
  settle();
}

void world::let_time_pass() {
  clock_.microseconds += client_timeout_ms * 1000;
  apply(expire{});
  settle();
}

void world::end_compaction(bool fails) {
  if (!state_.compaction)
    return;
  compaction_answer answer;
  answer.compaction_id = state_.compaction->compaction_id;
  answer.usage = usage{};
  answer.usage->input_tokens = 100;
  answer.usage->output_tokens = 10;
  if (fails) {
    answer.error = failure{"overloaded", 529, true, "Overloaded"};
  } else {
    answer.replacement = {{"user", content("## Current work\nMuch.\n\n## Next steps\nMore.")}};
    answer.tokens_before = 1000;
    answer.tokens_after = 100;
  }
  apply(answer);
  settle();
}

void world::drive_to_idle() {
  for (int steps = 0; session::status(state_) == "running" || session::status(state_) == "waiting"; ++steps) {
    if (steps > 10000)
      throw std::logic_error("the session never becomes idle");
    const auto calls = state_.calls;
    for (const auto& call : calls) {
      if (call.phase == session::call_phase::asking)
        apply(decide_permission{call.decision_id, true, "user", std::nullopt, std::nullopt});
      if (call.phase == session::call_phase::uncertain)
        apply(give_verdict{call.execution_id, verdict::abandon, "user", std::nullopt});
    }
    settle();
    if (state_.aborting()) {
      apply(settle_abort{}); // what ran has stopped
      settle();
    }
    end_compaction(false);
    finish_tool(0, false, false);
    bring_result(0, false);
    answer("end_turn", {text_block{"Done."}});
  }
}

} // namespace troupe::testing
