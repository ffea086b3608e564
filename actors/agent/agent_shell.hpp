// The agent's insides: what its files share.
#pragma once

#include "actors/agent/agent_actor.hpp"
#include "actors/inference/inference_actor.hpp"
#include "session/decide.hpp"
#include "session/work.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/response_promise.hpp>

#include <functional>

namespace troupe::actors {

class agent_shell {
 public:
  agent_shell(caf::event_based_actor* self, agent_settings settings, std::shared_ptr<const node_parts> parts);

  /// The first command of its life: a session begins, or what was cut off is judged.
  void begin();
  void take(std::shared_ptr<const command> what, std::function<void(order_answer)> answer);
  void arrived(const std::shared_ptr<const event>& happened);
  caf::typed_response_promise<session_look> wait(const wait_until& what);
  session_look look_now() const { return {std::make_shared<const session::state>(state_)}; }
  void overdue(const tool_overdue& what);
  void deadline_reached();
  /// Leaves the memory, if the session has rested for long enough.
  void leave_if_rested();
  void release_effects() { settings_.effects->release(); }
  void let_go();

 private:
  using answer_to = std::function<void(order_answer)>;

  // -- decide and append (agent_shell.cpp) --
  void handle(std::shared_ptr<const command> what, answer_to answer, int tries);
  void close_when_quiet(std::shared_ptr<const command> what, answer_to answer);
  std::optional<problem> answer_from_memory(const session::decision& decided) const;
  void appended(const append_answer& got, std::shared_ptr<const command> what, answer_to answer, int tries,
      std::shared_ptr<std::vector<event>> decided, std::shared_ptr<session::state> next);
  result<void> fold_missing(const std::vector<recorded_event>& missing);
  void rest();
  /// Answers with `fault`, and ends.
  void fail(const answer_to& answer, problem fault,
      caf::exit_reason reason = caf::exit_reason::unhandled_exception);
  void end_effects_and_waits();

  // -- effects (agent_effects.cpp) --
  session::decision decide_checked(const command& what, const session::inputs& in) const;
  std::optional<problem> breach_of_result(const client_result& answer) const;
  std::shared_ptr<const command> with_checks(std::shared_ptr<const command> what) const;
  void reconcile();
  void start_effect(const session::run_inference& item);
  void start_effect(const session::run_tool& item);
  inference_settings asking(
      const std::string& provider, const tools::offer& shown, std::shared_ptr<tools::stop_source> stop) const;
  void tell_queues(const std::vector<event>& happened);
  std::string open_run() const { return state_.run ? state_.run->id : std::string(); }
  /// Big instructions that the command brings are stored with it, and stay at hand.
  static void keep_instructions(const command& what, session::state& next, persistence::append& append);
  void take_new_options(const std::vector<event>& happened);

  // -- compaction (agent_compaction.cpp) --
  void start_effect(const session::run_compaction& item);
  void ask_to_compact(answer_to answer);
  /// True if somebody waits for a compaction that hasn't begun.
  bool compaction_wanted() const;
  /// Begins what was asked for, if nothing stands in its way; true if a command is under way.
  bool compact_now();
  void tell_compacted(const std::vector<event>& happened);
  void refuse_to_compact(const problem& why);

  // -- rest (agent_rest.cpp) --
  void answer_waiters();
  bool rests() const;
  void set_timers();
  persistence::snapshot snapshot_now() const;
  /// What the log of a session goes on from that keeps its context alone; null: it is at work, or keeps its
  /// log.
  std::shared_ptr<const session::state> context_to_keep() const;

  struct compaction_waiter {
    answer_to answer;
    std::string compaction_id; ///< empty until it has begun
  };
  struct waiter {
    wait_until what;
    caf::typed_response_promise<session_look> promise;
  };

  caf::event_based_actor* self_;
  agent_settings settings_;
  std::shared_ptr<const node_parts> parts_;
  session::state state_;
  fresh_ids ids_;
  tools::offer shown_; ///< to the model, by the inference whose answer is due
  std::map<std::int64_t, std::shared_ptr<const event>>
      early_; ///< messages that came before those before them
  std::map<std::string, std::shared_ptr<std::atomic<bool>>> overdue_;
  std::vector<waiter> waiters_;
  std::vector<std::pair<std::shared_ptr<const command>, answer_to>>
      asked_to_close_; ///< until the queues are quiet
  std::vector<compaction_waiter> asked_to_compact_;
  bool busy_ = false;            ///< an append is under way
  std::int64_t activity_ = 0;    ///< counts all that came
  std::int64_t arrivals_ = 0;    ///< counts the messages that the queues told of
  std::int64_t rested_from_ = 0; ///< the activity at which the rest began that is being timed
  bool rest_is_timed_ = false;
  std::optional<timestamp> timed_deadline_;
};

/// The key of an effect: an inference, or one attempt at a call.
std::string key_of(const session::work_item& item);

} // namespace troupe::actors
