// Requests are sent and forgotten; what is acknowledged is held against the log.
#include "tests/simulation/clients.hpp"

#include "tests/simulation/staged_tools.hpp"

#include <algorithm>

namespace troupe::simulation {

template <class T>
actors::then<T> clients::heard(simulated_node& node, const char* what, std::function<void(const T&)> done) {
  ++asked_;
  return [this, what, done, life = node.life(), number = node.plan().number](const result<T>& answer) {
    if (life.expired())
      return;
    on_.story.tell(what, number, answer ? 1 : -static_cast<std::int64_t>(answer.error().code) - 1,
        [&] { return answer ? std::string("yes") : answer.error().detail; });
    logs_.look();
    if (!answer)
      return;
    ++succeeded_;
    done(*answer);
  };
}

void clients::act(simulated_node& node, const std::string& session) {
  if (!begun_.contains(session) || on_.luck.one_in(30))
    return create(node, session);
  if (on_.luck.one_in(20))
    return compact(node, session);
  if (on_.luck.one_in(60))
    return reset(node, session);
  if (on_.luck.one_in(400))
    return close(node, session);
  const auto kind = on_.luck.below(100);
  if (kind < 38)
    return post(node, session);
  if (kind < 50)
    return decide(node, session);
  if (kind < 60)
    return resolve(node, session);
  if (kind < 70)
    return bring_result(node, session);
  if (kind < 77)
    return abort(node, session);
  if (kind < 80)
    return withdraw(node, session);
  if (kind < 86)
    return order(node, session, start{}, "start");
  if (kind < 89)
    return order(node, session, continue_run{}, "continue");
  if (kind < 92)
    return update(node, session);
  if (kind < 95)
    return wait(node, session);
  look(node, session);
}

namespace {

options draw_options(ground& on, const std::string& session) {
  options wanted;
  wanted.id = session;
  wanted.provider = "gym";
  wanted.model = "claude-gym";
  wanted.tools = std::vector<std::string>{"stage"};
  wanted.client_tools = client_tools_in_simulations();
  wanted.permissions = std::vector<permission_rule>{
      {"gated", permission::ask, std::nullopt}, {"gated_asking", permission::ask, std::nullopt}};
  if (on.luck.one_in(6))
    wanted.permissions->push_back({"shared", permission::deny, "Not here."});
  if (on.luck.one_in(3))
    wanted.instructions = large_text(on.luck.one_in(4) ? std::string(9000, 'i') : "Be brief.");
  const std::vector<queue_mode> modes{queue_mode::one_at_a_time, queue_mode::all};
  wanted.steering_mode = on.luck.of(modes);
  wanted.send_mode = on.luck.of(modes);
  wanted.tool_execution = on.luck.of(std::vector<execution_mode>{
      execution_mode::parallel, execution_mode::sequential, execution_mode::batched});
  wanted.max_turns = on.luck.of(std::vector<std::int64_t>{0, 0, 0, 2, 5});
  wanted.max_retries = on.luck.between(0, 3);
  if (on.luck.one_in(2))
    wanted.compaction =
        compaction_options{on.luck.of(std::vector<compaction_strategy>{compaction_strategy::summarize,
                               compaction_strategy::clear_tool_results, compaction_strategy::provider}),
            on.luck.of(std::vector<std::optional<std::int64_t>>{std::nullopt, 1000, 2000}),
            on.luck.between(1, 3)};
  if (on.luck.one_in(6))
    wanted.output_limit = output_bounds{on.luck.between(2, 9), std::nullopt};
  if (on.luck.one_in(3))
    wanted.retention = "context";
  wanted.on_failed_effect = on.luck.one_in(3) ? "ask" : "record";
  return wanted;
}

} // namespace

void clients::create(simulated_node& node, const std::string& session) {
  if (!wanted_.contains(session))
    wanted_[session] = draw_options(on_, session);
  node.desk().create(
      wanted_[session], heard<actors::created_session>(node, "create", [this, session](const auto& made) {
        if (made.is_new && !made_.insert(session).second)
          on_.broken("session " + session + " was new twice");
        begun_.insert(session);
      }));
}

void clients::post(simulated_node& node, const std::string& session) {
  auto& sent = sent_[session];
  accept_message message;
  if (!sent.empty() && on_.luck.percent(35)) {
    message = on_.luck.of(sent); // the same again
    if (on_.luck.one_in(8))
      message.content = content("Something else"); // under the same id
  } else {
    message.message_id = "m" + std::to_string(++messages_);
    message.delivery = on_.luck.one_in(3) ? delivery::steer : delivery::send;
    message.content =
        content(on_.luck.one_in(30) ? std::string(9000, 'm') : "Do something, " + message.message_id);
    if (on_.luck.one_in(10))
      message.settings = message_settings{};
    if (message.settings)
      message.settings->provider = on_.luck.one_in(2) ? "other" : "gym";
    sent.push_back(message);
  }
  node.desk().post(session, message,
      heard<actors::acceptance>(node, "post",
          [this, session, message](const auto& accepted) { logs_.posted(session, message, accepted.seq); }));
}

namespace {

// Something that the log has spoken of: mostly of late, sometimes long over.
template <class T> std::optional<T> any_of(ground& on, const watched_log& log) {
  std::vector<const T*> all;
  for (const auto& happened : log.events)
    if (const auto* const it = std::get_if<T>(&happened.data))
      all.push_back(it);
  if (all.empty())
    return std::nullopt;
  return on.luck.percent(70) ? *all.back() : *all[on.luck.below(all.size())];
}

} // namespace

void clients::decide(simulated_node& node, const std::string& session) {
  using state = std::shared_ptr<const session::state>;
  const auto asked = any_of<permission_requested>(on_, logs_.log_of(session));
  if (!asked)
    return post(node, session);
  const decide_permission given{asked->decision_id, on_.luck.percent(65), "user", std::nullopt, std::nullopt};
  node.desk().answer_call(session, given,
      heard<state>(node, "decide", [this, session, given](const auto&) { logs_.decided(session, given); }));
}

void clients::resolve(simulated_node& node, const std::string& session) {
  using state = std::shared_ptr<const session::state>;
  const auto unsure = any_of<tool_uncertain>(on_, logs_.log_of(session));
  if (!unsure)
    return post(node, session);
  give_verdict given{
      unsure->execution_id, on_.luck.percent(60) ? verdict::rerun : verdict::abandon, "user", std::nullopt};
  if (given.verdict == verdict::abandon && on_.luck.one_in(3))
    given.result = content("I did it myself");
  node.desk().answer_call(session, given,
      heard<state>(node, "resolve", [this, session, given](const auto&) { logs_.resolved(session, given); }));
}

void clients::bring_result(simulated_node& node, const std::string& session) {
  using state = std::shared_ptr<const session::state>;
  std::vector<std::string> calls;
  for (const auto& happened : logs_.log_of(session).events)
    if (const auto* const it = std::get_if<tool_started>(&happened.data); it && it->client)
      calls.push_back(it->execution_id);
  if (calls.empty())
    return post(node, session);
  client_result given{on_.luck.percent(75) ? calls.back() : on_.luck.of(calls),
      content("from afar " + std::to_string(on_.luck.below(2))), on_.luck.one_in(4), std::nullopt, false,
      std::nullopt};
  node.desk().answer_call(session, given,
      heard<state>(node, "result", [this, session, given](const auto&) { logs_.answered(session, given); }));
}

void clients::abort(simulated_node& node, const std::string& session) {
  using state = std::shared_ptr<const session::state>;
  const auto& log = logs_.log_of(session);
  const std::string run = log.state.run ? log.state.run->id : "";
  node.desk().abort(session, "user",
      heard<state>(node, "abort", [this, session, run](const auto&) { logs_.stopped(session, run); }));
}

void clients::compact(simulated_node& node, const std::string& session) {
  node.desk().compact(session,
      heard<actors::compaction_report>(
          node, "compact", [this, session](const auto& report) { logs_.made_smaller(session, report.seq); }));
}

void clients::reset(simulated_node& node, const std::string& session) {
  node.desk().reset(session, heard<std::int64_t>(node, "reset", [](const auto&) {}));
}

void clients::close(simulated_node& node, const std::string& session) {
  using state = std::shared_ptr<const session::state>;
  node.desk().close(session, heard<state>(node, "close", [this, session](const auto& now) {
    if (!now->closed)
      on_.broken("session " + session + " was said to be closed and isn't");
  }));
}

void clients::withdraw(simulated_node& node, const std::string& session) {
  const std::vector<std::optional<delivery>> queues{std::nullopt, delivery::steer, delivery::send};
  node.desk().withdraw_queued(
      session, on_.luck.of(queues), heard<std::vector<std::string>>(node, "withdraw", [](const auto&) {}));
}

void clients::order(simulated_node& node, const std::string& session, command what, const char* name) {
  using state = std::shared_ptr<const session::state>;
  node.desk().order(session, std::move(what),
      heard<state>(node, name, [this, session](const auto& now) { logs_.seen(session, *now); }));
}

void clients::update(simulated_node& node, const std::string& session) {
  node.desk().update(session, json::raw{R"({"max_turns":)" + std::to_string(on_.luck.below(5)) + "}"},
      heard<actors::session_report>(node, "update", [](const auto&) {}));
}

void clients::wait(simulated_node& node, const std::string& session) {
  using report = std::optional<actors::session_report>;
  node.desk().wait(session, on_.luck.one_in(2), std::chrono::milliseconds(on_.luck.between(1, 3000)),
      heard<report>(node, "wait", [this, session](const report& at_rest) {
        if (!at_rest)
          return;
        logs_.seen(session, *at_rest->state);
        if (session::status(*at_rest->state) == "running")
          on_.broken("session " + session + " was said to be at rest while it ran");
      }));
}

void clients::look(simulated_node& node, const std::string& session) {
  using state = std::shared_ptr<const session::state>;
  node.desk().look(
      session, heard<state>(node, "look", [this, session](const auto& now) { logs_.seen(session, *now); }));
}

bool clients::answer_what_waits(simulated_node& node, const std::string& session) {
  using state = std::shared_ptr<const session::state>;
  const auto& log = logs_.log_of(session);
  for (const auto& call : log.state.calls) {
    if (call.phase == session::call_phase::asking) {
      const decide_permission given{call.decision_id, on_.luck.one_in(2), "user", std::nullopt, std::nullopt};
      node.desk().answer_call(session, given, heard<state>(node, "decide at last", [](const auto&) {}));
      return true;
    }
    if (call.phase == session::call_phase::uncertain) {
      const give_verdict given{call.execution_id, verdict::abandon, "user", std::nullopt};
      node.desk().answer_call(session, given, heard<state>(node, "resolve at last", [](const auto&) {}));
      return true;
    }
  }
  return false;
}

} // namespace troupe::simulation
