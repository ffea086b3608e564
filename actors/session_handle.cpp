// A session as a plain handle: requests to its agent and queues, by the desk.
#include "actors/desk.hpp"
#include "actors/effects.hpp"
#include "actors/queue/queue_actor.hpp"

namespace troupe::actors {

problem lost(const caf::error& why) {
  if (why == caf::sec::request_timeout)
    return {problem_code::timeout, "the session didn't answer in time", {}};
  return {problem_code::fenced,
      "the session isn't here any more: another process has taken it, or its agent failed; open it again",
      {}};
}

problem node_has_ended() {
  return {problem_code::unavailable,
      "this node has ended: whether it was done isn't known; ask another one, or again", {}};
}

caf::behavior desk_actor(caf::event_based_actor* self) {
  return {[=](const errand& e) { e.what(self); }};
}

const std::string& session_handle::id() const { return parts_->here->id; }
bool session_handle::created() const { return parts_->created; }
const persistence::session_row& session_handle::row() const { return parts_->row; }

void session_handle::post(accept_message message, then<acceptance> answer_to) {
  if (message.message_id.empty())
    message.message_id = parts_->node->ids().next();
  const auto queue = [parts = parts_, which = message.delivery](caf::event_based_actor* desk) {
    const auto& here = *parts->here;
    return here.queues->enter(which, [&] {
      return desk->spawn<caf::lazy_init>(queue_actor,
          queue_settings{here.key, here.id, here.epoch, which, here.queues}, parts->node, here.agent);
    });
  };
  ask_found<posted>(parts_->desk, queue,
      actors::post{std::make_shared<const accept_message>(std::move(message))},
      [parts = parts_, answer_to](result<posted> answer) { answer_to(parts->taken(std::move(answer))); });
}

namespace {

result<std::int64_t> head_of(const result<order_answer>& answer) {
  if (!answer)
    return answer.error();
  if (answer->refused)
    return *answer->refused;
  return answer->head;
}

then<session_look> state_of(then<std::shared_ptr<const session::state>> answer) {
  return [answer](const result<session_look>& look) { look ? answer(look->state) : answer(look.error()); };
}

} // namespace

result<acceptance> session_handle::post(accept_message message) {
  return waited<acceptance>([&](auto answer) { post(std::move(message), answer); });
}

void session_handle::order(command what, then<std::int64_t> answer) {
  ask<order_answer>(parts_->desk, parts_->here->agent,
      actors::order{std::make_shared<const command>(std::move(what))},
      [answer](const result<order_answer>& got) { answer(head_of(got)); });
}

result<std::int64_t> session_handle::order(command what) {
  return waited<std::int64_t>([&](auto answer) { order(std::move(what), answer); });
}

void session_handle::order_for_events(command what, then<std::shared_ptr<const std::vector<event>>> answer) {
  ask<order_answer>(parts_->desk, parts_->here->agent,
      actors::order{std::make_shared<const command>(std::move(what))},
      [answer](const result<order_answer>& got) {
        const auto head = head_of(got);
        head ? answer(got->happened) : answer(head.error());
      });
}

namespace {

compaction_report report_of(const std::shared_ptr<const std::vector<event>>& happened) {
  compaction_report report;
  if (!happened || happened->empty())
    return report;
  const auto& it = happened->front();
  report.seq = it.seq;
  if (const auto* const finished = std::get_if<compaction_finished>(&it.data)) {
    report.tokens_before = finished->tokens_before;
    report.tokens_after = finished->tokens_after;
  }
  if (const auto* const cleared = std::get_if<context_cleared>(&it.data))
    report.cleared = cleared->calls.size();
  return report;
}

} // namespace

void session_handle::compact(then<compaction_report> answer) {
  order_for_events(
      troupe::compact{}, [answer](const result<std::shared_ptr<const std::vector<event>>>& happened) {
        happened ? answer(report_of(*happened)) : answer(happened.error());
      });
}

result<compaction_report> session_handle::compact() {
  return waited<compaction_report>([&](auto answer) { compact(answer); });
}

namespace {

// The order is in the mailbox before anything is stopped, so that it stands before the answers of
// what stops: the desk stops effects right after it has asked. What runs is looked up before: by the
// time it is stopped the order may be done and the next run begun.
void order_abort(const caf::actor& desk, const session_here& session, const std::string& by,
    std::function<void(result<order_answer>)> answer) {
  const auto running = session.effects->hold();
  ask<order_answer>(desk, session.agent, actors::order{std::make_shared<const command>(abort_run{by}), true},
      std::move(answer));
  caf::anon_send(desk, errand{[running](caf::event_based_actor*) {
    for (const auto& stop : running)
      stop->stop();
  }});
}

} // namespace

result<std::int64_t> session_handle::abort(const std::string& by) {
  return waited<std::int64_t>([&](auto answer) {
    order_abort(
        parts_->desk, *parts_->here, by, [answer](const result<order_answer>& got) { answer(head_of(got)); });
  });
}

void session_handle::abort(const std::string& by, then<std::string> answer) {
  order_abort(parts_->desk, *parts_->here, by, [answer](const result<order_answer>& got) {
    if (const auto head = head_of(got); !head)
      return answer(head.error());
    answer(got->open_run.empty() ? "none" : got->open_run);
  });
}

void session_handle::when_over(const std::string& run, then<std::shared_ptr<const session::state>> answer) {
  wait_until over;
  over.ended_run = run;
  ask<session_look>(parts_->desk, parts_->here->agent, std::move(over), state_of(std::move(answer)));
}

void session_handle::wait(bool attention, std::chrono::milliseconds patience,
    then<std::optional<std::shared_ptr<const session::state>>> answer) {
  ask<session_look>(
      parts_->desk, parts_->here->agent,
      wait_until{attention, parts_->seen.load(), "", parts_->node->on->steady_time() + patience},
      [answer](const result<session_look>& look) {
        if (look)
          answer(std::optional(look->state));
        else if (look.error().code == problem_code::timeout)
          answer(std::optional<std::shared_ptr<const session::state>>());
        else
          answer(look.error());
      },
      caf::duration(patience));
}

result<std::optional<std::shared_ptr<const session::state>>> session_handle::wait(
    bool attention, std::chrono::milliseconds patience) {
  return waited<std::optional<std::shared_ptr<const session::state>>>(
      [&](auto answer) { wait(attention, patience, answer); });
}

void session_handle::when_idle(then<std::shared_ptr<const session::state>> answer) {
  ask<session_look>(parts_->desk, parts_->here->agent,
      wait_until{false, parts_->seen.load(), "", std::chrono::steady_clock::time_point::max()},
      state_of(std::move(answer)));
}

void session_handle::look(
    std::chrono::milliseconds patience, then<std::shared_ptr<const session::state>> answer) {
  ask<session_look>(parts_->desk, parts_->here->agent, actors::look{}, state_of(std::move(answer)),
      caf::duration(patience));
}

result<std::shared_ptr<const session::state>> session_handle::look(std::chrono::milliseconds patience) {
  return waited<std::shared_ptr<const session::state>>([&](auto answer) { look(patience, answer); });
}

std::unique_ptr<live_stream> session_handle::follow(std::int64_t after) {
  return open_stream(*parts_->node, parts_->here->key, after, true);
}

} // namespace troupe::actors
