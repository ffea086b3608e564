// One pass over the log with what each rule must remember.
#include "tests/support/log_rules.hpp"

#include "session/evolve.hpp"
#include "session/pairing.hpp"

#include <deque>
#include <map>

namespace troupe::testing {

namespace {

struct execution {
  std::string name;
  std::int64_t attempts = 0;
  bool resolved_rerun = false;
  bool uncertain = false;
  bool receipt = false;
};

class checker {
 public:
  explicit checker(const std::set<std::string>& durable) : durable_(durable) {}

  std::optional<std::string> check(const event& e) {
    breach_.reset();
    rule(e.seq == seq_ + 1, "I-1: seq " + std::to_string(e.seq) + " after " + std::to_string(seq_));
    seq_ = e.seq;
    run_rules(e);
    std::visit([&](const auto& data) { on(data); }, e.data);
    session::evolve(state_, e);
    if (std::holds_alternative<inference_started>(e.data))
      context_rules(std::get<inference_started>(e.data));
    if (std::holds_alternative<run_finished>(e.data) && !breach_)
      if (const auto breach = session::pairing_breach(state_.context.messages()))
        breach_ = "I-4: at the end of a run " + *breach;
    return breach_;
  }

 private:
  void rule(bool holds, const std::string& text) {
    if (!holds && !breach_)
      breach_ = text;
  }

  void run_rules(const event& e) {
    if (std::holds_alternative<run_started>(e.data)) {
      rule(!run_, "I-3: a run starts within a run");
      rule(!closing_, "D-25: a run starts in a session that closes");
      run_ = e.run_id;
      aborted_ = false;
    } else if (e.run_id) {
      rule(run_ == e.run_id, "I-3: event " + std::to_string(e.seq) + " of a run that isn't open");
    }
  }

  // The context was evolved up to and with `started`, which adds no message.
  void context_rules(const inference_started& started) {
    if (const auto breach = session::pairing_breach(state_.context.messages()))
      rule(false, "I-4: " + *breach);
    rule(started.digest == state_.context.digest(),
        "I-9: the digest of inference " + started.inference_id + " isn't its context's");
    rule(!aborted_, "D-24: an inference starts after the abort");
    rule(!inference_open_, "an inference starts while another is open");
    rule(compaction_.empty(), "D-23: an inference starts within a compaction");
    rule(!closed_, "D-25: an inference starts in a closed session");
    inference_open_ = true;
    finished_for_tools_.clear();
  }

  void on(const message_queued& it) {
    rule(!closing_, "D-25: a message is accepted by a session that closes");
    rule(messages_.insert(it.message_id).second, "I-2: message id " + it.message_id + " twice");
    queues_[it.delivery == delivery::steer].push_back(it.message_id);
  }
  void on(const compaction_started& it) {
    rule(!inference_open_ && compaction_.empty(),
        "D-23: a compaction starts under an inference or another one");
    compaction_ = it.compaction_id;
  }
  void on(const compaction_finished& it) { ends(it.compaction_id); }
  void on(const compaction_failed& it) { ends(it.compaction_id); }
  void ends(const std::string& compaction_id) {
    rule(compaction_ == compaction_id, "D-23: a compaction ends that isn't open");
    compaction_.clear();
  }
  void on(const messages_consumed& it) {
    rule(compaction_.empty(), "D-23: messages are consumed within a compaction");
    rule(!inference_open_, "I-2: messages are consumed within an answer");
    for (const auto& id : it.message_ids) {
      auto& queue = !queues_[1].empty() && queues_[1].front() == id ? queues_[1] : queues_[0];
      rule(
          !queue.empty() && queue.front() == id, "I-2: message " + id + " is consumed out of order or twice");
      if (!queue.empty())
        queue.pop_front();
    }
  }
  void on(const message_withdrawn& it) {
    for (const auto& id : it.message_ids)
      rule(std::erase(queues_[0], id) + std::erase(queues_[1], id) == 1,
          "I-2: message " + id + " is withdrawn but not queued");
  }
  void on(const turn_started&) {
    rule(run_ && !turn_, "I-3: a turn starts in no run or in a turn");
    turn_ = true;
  }
  void on(const turn_finished&) {
    rule(turn_, "I-3: a turn finishes twice");
    turn_ = false;
  }
  void on(const run_finished&) {
    rule(run_ && !turn_, "I-3: a run finishes twice or in a turn");
    rule(!inference_open_, "I-3: a run finishes under an open inference");
    rule(compaction_.empty(), "I-3: a run finishes under an open compaction");
    run_.reset();
  }
  void on(const session_closing&) {
    rule(!closing_, "D-25: a session closes twice");
    closing_ = true;
  }
  void on(const session_closed&) {
    rule(closing_ && !run_, "D-25: a session is closed that wasn't closing, or has a run");
    rule(!closed_, "D-25: a session is closed twice");
    closed_ = true;
  }
  void on(const context_reset&) { rule(!inference_open_, "a context is emptied under an open inference"); }
  void on(const abort_requested&) { aborted_ = true; }
  void on(const assistant_block&) { rule(inference_open_, "a block of no open inference"); }
  void on(const inference_finished& it) {
    rule(inference_open_, "an inference finishes twice");
    inference_open_ = false;
    if (it.state == inference_state::completed && (it.stop == "tool_use" || it.stop == "function_call"))
      finished_for_tools_ = it.inference_id;
  }
  void on(const output_voided&) { inference_open_ = false; }
  void on(const tools_requested& it) {
    rule(finished_for_tools_ == it.inference_id,
        "I-7: calls of an inference without a durable stop for tools");
    for (const auto& call : it.calls)
      executions_[call.execution_id].name = call.name;
  }
  void on(const permission_decided& it) {
    rule(decided_.insert(it.decision_id).second, "I-6: decision " + it.decision_id + " is taken twice");
  }
  void on(const tool_started& it) {
    rule(executions_.contains(it.execution_id), "I-7: an execution starts that was never requested");
    auto& execution = executions_[it.execution_id];
    rule(!aborted_, "D-24: a tool starts after the abort");
    rule(!execution.receipt, "I-5: an execution starts after its receipt");
    rule(
        it.attempt == execution.attempts + 1, "I-5: attempt " + std::to_string(it.attempt) + " out of order");
    rule(execution.attempts == 0 || durable_.contains(it.name) || execution.resolved_rerun,
        "I-5: `" + it.name + "` runs twice without a person's word");
    execution.attempts = it.attempt;
    execution.resolved_rerun = false;
  }
  void on(const tool_uncertain& it) { executions_[it.execution_id].uncertain = true; }
  void on(const tool_resolved& it) {
    auto& execution = executions_[it.execution_id];
    rule(execution.uncertain, "I-6: a verdict on what isn't uncertain");
    execution.uncertain = false;
    execution.resolved_rerun = it.verdict == verdict::rerun;
  }
  void on(const tool_receipt& it) {
    auto& execution = executions_[it.execution_id];
    rule(!execution.receipt, "I-5: a second receipt of one execution");
    rule(it.outcome == tool_outcome::not_started ? it.attempt == 0 : it.attempt == execution.attempts,
        "I-5: a receipt of an attempt that isn't the last");
    execution.receipt = true;
  }
  void on(const tool_result& it) {
    rule(results_.insert({it.inference_id, it.index}).second, "I-4: a call has two results");
    auto& last = last_result_.try_emplace(it.inference_id, -1).first->second;
    rule(it.index > last, "I-4: results don't stand in call order");
    last = it.index;
  }
  void on(const session_parked&) { rule(!closed_, "D-25: a closed session is parked"); }
  template <class T> void on(const T&) {}

  const std::set<std::string>& durable_;
  std::optional<std::string> breach_;
  session::state state_;
  std::int64_t seq_ = 0;
  std::optional<std::string> run_;
  bool turn_ = false;
  bool aborted_ = false;
  bool closing_ = false;
  bool closed_ = false;
  bool inference_open_ = false;
  std::string compaction_; ///< the open one
  std::string finished_for_tools_;
  std::set<std::string> messages_;
  std::set<std::string> decided_;
  std::set<call_ref> results_;
  std::map<std::string, std::int64_t> last_result_; ///< by inference
  std::deque<std::string> queues_[2];               // sends, steering
  std::map<std::string, execution> executions_;
};

} // namespace

struct log_checker::insides {
  std::set<std::string> durable;
  checker rules{durable};
};

log_checker::log_checker(std::set<std::string> durable) : in_(new insides{std::move(durable)}) {}
log_checker::~log_checker() = default;

std::optional<std::string> log_checker::check(const event& next) {
  if (auto breach = in_->rules.check(next))
    return *breach + " (event " + std::to_string(next.seq) + ", " + std::string(type_name(next.data)) + ")";
  return std::nullopt;
}

std::optional<std::string> log_breach(std::span<const event> log, const std::set<std::string>& durable) {
  if (!log.empty() && std::holds_alternative<context_trimmed>(log.front().data))
    return std::nullopt; // what its events answer to was removed
  log_checker rules(durable);
  for (const auto& e : log)
    if (auto breach = rules.check(e))
      return breach;
  return std::nullopt;
}

} // namespace troupe::testing
