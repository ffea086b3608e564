// What should run against what runs: the missing is started, the surplus stopped.
#include "actors/agent/agent_shell.hpp"
#include "actors/fleet/fitting.hpp"
#include "actors/fleet/modes.hpp"
#include "actors/fleet/session_loading.hpp"
#include "actors/inference/inference_actor.hpp"
#include "actors/tool_call/tool_call_actor.hpp"
#include "session/effort.hpp"
#include "session/steps.hpp"
#include "tools/kept_result.hpp"
#include "tools/prepare.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

// What doesn't stop when its time is up is left behind after this.
constexpr std::chrono::seconds stop_grace{10};

// A tool that the model wasn't shown is unknown to it, though the session has it.
call_check check_of(const tools::offer& offer, const tools::offer& shown, const tool_call_block& call) {
  const auto prepared = tools::prepare(shown.find(call.name) ? offer : shown, call);
  if (const auto* const refused = std::get_if<tools::refused_call>(&prepared))
    return {refused->text, refused->error_kind};
  return {};
}

// What the model sees is judged when it changes: a session whose mode was shortened since still takes others.
bool changes_tools(const options& before, const options& after) {
  return before.mode != after.mode || before.tools != after.tools
      || before.client_tools != after.client_tools;
}

} // namespace

std::string key_of(const session::work_item& item) {
  if (const auto* const inference = std::get_if<session::run_inference>(&item))
    return inference->inference_id;
  if (const auto* const compaction = std::get_if<session::run_compaction>(&item))
    return compaction->compaction_id;
  const auto& tool = std::get<session::run_tool>(item);
  return tool.execution_id + "/" + std::to_string(tool.attempt);
}

// Validation is a look-up whose answer goes with the command, call by call in the answer's order.
std::shared_ptr<const command> agent_shell::with_checks(std::shared_ptr<const command> what) const {
  const auto* const answer = std::get_if<inference_answer>(&*what);
  if (!answer || !state_.inference || state_.inference->data->inference_id != answer->finish.inference_id)
    return what;
  inference_answer checked = *answer;
  checked.checks.clear();
  for (const auto& [index, call] : state_.inference->calls)
    checked.checks.push_back(check_of(settings_.offer, shown_, *call));
  for (const auto& block : checked.blocks)
    if (const auto* const call = std::get_if<tool_call_block>(&block))
      checked.checks.push_back(check_of(settings_.offer, shown_, *call));
  return std::make_shared<const command>(std::move(checked));
}

// Arguments that a person has changed must keep to the schema before the answer is accepted.
session::decision agent_shell::decide_checked(const command& what, const session::inputs& in) const {
  if (const auto* const answer = std::get_if<decide_permission>(&what);
      answer && answer->allow && answer->arguments)
    for (const auto& call : state_.calls)
      if (call.decision_id == answer->decision_id) {
        const auto prepared = tools::prepare(settings_.offer, call.name, answer->arguments->text);
        if (const auto* const refused = std::get_if<tools::refused_call>(&prepared))
          return problem{problem_code::invalid_input, refused->text, {}};
      }
  if (const auto* const update = std::get_if<update_session>(&what)) {
    const auto merged = session::changed(*state_.options, update->changes);
    if (!merged)
      return merged.error();
    if (const auto known = supported(*merged); !known)
      return known.error();
    const auto offered = offer_of(parts_->tools, *merged);
    if (!offered)
      return offered.error();
    if (const auto fits = check_mode(parts_->modes, *merged, *offered);
        !fits && changes_tools(*state_.options, *merged))
      return fits.error();
    if (const auto fits = check_rules(*merged, *offered);
        !fits && merged->permissions != state_.options->permissions)
      return fits.error();
  }
  if (const auto* const answer = std::get_if<client_result>(&what)) {
    if (const auto broken = breach_of_result(*answer))
      return *broken;
    return session::decide(state_, tools::keep_within(*answer, parts_->tools.output_bytes_max()), in);
  }
  return session::decide(state_, what, in);
}

// A result that breaks the tool's own schema is the client's mistake: it may send a better one.
std::optional<problem> agent_shell::breach_of_result(const client_result& answer) const {
  const auto* const call = state_.find_call(answer.execution_id);
  const auto* const tool = call ? settings_.offer.find(call->name) : nullptr;
  if (!tool || answer.is_error)
    return std::nullopt;
  tools::output given;
  given.content = answer.content;
  const auto checked = tools::checked_result(*tool, given);
  if (!checked.is_error)
    return std::nullopt;
  return problem{problem_code::invalid_input,
      "the result breaks the `result` schema of the tool `" + call->name + "`",
      {{"/output", checked.details ? checked.details->text : plain_text(checked.content)}}};
}

void agent_shell::keep_instructions(const command& what, session::state& next, persistence::append& append) {
  const auto* const update = std::get_if<update_session>(&what);
  if (!update || !next.options->instructions || next.options->instructions->loaded)
    return;
  const auto merged = session::changed(*next.options, update->changes);
  if (!merged || !merged->instructions || !merged->instructions->ref)
    return;
  append.blobs.push_back({merged->instructions->ref->blob, merged->instructions->text});
  next.options = std::make_shared<const options>(*merged);
}

// The next inference, and the calls that are checked from here on, go by what the options say now.
void agent_shell::take_new_options(const std::vector<event>& happened) {
  const bool changed = std::any_of(happened.begin(), happened.end(),
      [](const event& e) { return std::holds_alternative<session_updated>(e.data); });
  if (!changed)
    return;
  auto offered = offer_of(parts_->tools, *state_.options);
  if (!offered)
    return; // checked before it was decided
  settings_.offer = std::move(*offered);
  settings_.known = look_ups_of(*parts_, *state_.options, settings_.offer, settings_.can_ask);
}

void agent_shell::reconcile() {
  if (!state_.inference)
    shown_ = {};
  const auto wanted = session::work(state_);
  for (const auto& key : settings_.effects->keys())
    if (std::none_of(wanted.begin(), wanted.end(), [&](const auto& item) { return key_of(item) == key; })) {
      settings_.effects->stop(key);
      if (!state_.aborting() || !state_.run)
        settings_.effects->end(key); // its answer belongs to nothing any more
    }
  for (const auto& item : wanted)
    if (!settings_.effects->runs(key_of(item)))
      std::visit([&](const auto& effect) { start_effect(effect); }, item);
}

// How any request of the session is made.
inference_settings agent_shell::asking(
    const std::string& provider, const tools::offer& shown, std::shared_ptr<tools::stop_source> stop) const {
  const auto& registered = parts_->providers.at(provider);
  inference_settings settings;
  settings.session = settings_.session;
  settings.provider = registered.provider;
  settings.max_retries = state_.options->max_retries;
  settings.retry_base_ms = registered.retry_base_ms;
  settings.retry_after_ms_max = registered.retry_after_ms_max;
  settings.stop = std::move(stop);
  settings.request.instructions = settings_.known->instructions;
  for (const auto& tool : shown.all())
    settings.request.tools.push_back({tool->spec.name, tool->spec.description, tool->spec.parameters});
  return settings;
}

void agent_shell::start_effect(const session::run_inference& item) {
  auto stop = settings_.effects->begin(item.inference_id);
  if (!stop)
    return;
  const auto& started = *state_.inference->data;
  if (!parts_->providers.contains(started.provider)) {
    inference_answer answer;
    answer.finish.inference_id = item.inference_id;
    answer.finish.state = inference_state::error;
    answer.finish.error = failure{"invalid_request", std::nullopt, false,
        "the provider `" + started.provider + "` is not configured on this node"};
    return self_->send(self_, order{std::make_shared<const command>(std::move(answer))});
  }
  shown_ = shown_of(parts_->modes, *state_.options, settings_.offer);
  auto settings = asking(started.provider, shown_, std::move(stop));
  auto& request = settings.request;
  request.inference_id = item.inference_id;
  request.model = started.model;
  request.effort = started.effort;
  request.service_tier = started.service_tier;
  request.messages = state_.context.shared_messages();
  request.max_output_tokens = state_.options->max_output_tokens;
  request.temperature = state_.options->temperature;
  if (parts_->providers.at(started.provider).thinks_by_budget)
    request.thinking_budget = session::thinking_budget(*state_.options, started.effort);
  self_->spawn(inference_actor, std::move(settings), parts_, caf::actor_cast<caf::actor>(self_));
}

void agent_shell::start_effect(const session::run_tool& item) {
  const auto* const call = state_.find_call(item.execution_id);
  const auto* const tool = settings_.offer.find(call->name);
  const std::string key = key_of(item);
  auto stop = settings_.effects->begin(key);
  if (!stop)
    return;
  if (!tool) {
    tool_answer answer{item.execution_id, item.attempt, tool_outcome::failed,
        content("Tool \"" + call->name + "\" is not available."), true, error_kind::invalid_input,
        std::nullopt, false, std::nullopt};
    return self_->send(self_, order{std::make_shared<const command>(std::move(answer))});
  }
  const auto late = std::make_shared<std::atomic<bool>>(false);
  overdue_[key] = late;
  tool_call_settings settings;
  settings.session = settings_.session;
  settings.tool = std::make_shared<const tools::offered_tool>(*tool);
  settings.call = {settings_.id, item.execution_id, item.attempt, settings_.epoch,
      call->effective_arguments(), std::move(stop), {}};
  settings.overdue = late;
  self_->spawn(tool_call_actor, std::move(settings), parts_, caf::actor_cast<caf::actor>(self_));
  self_->delayed_send(
      self_, std::chrono::milliseconds(tool->spec.timeout_ms), tool_overdue{item.execution_id, item.attempt});
}

void agent_shell::overdue(const tool_overdue& what) {
  const std::string key = key_of(session::run_tool{what.execution_id, what.attempt});
  const auto found = overdue_.find(key);
  if (found == overdue_.end() || !settings_.effects->runs(key))
    return;
  if (found->second->exchange(true)) { // told to stop before, and still running: it is left behind
    tool_answer late{what.execution_id, what.attempt, tool_outcome::failed,
        content("The tool call was not answered in time."), true, error_kind::timeout, std::nullopt, false,
        std::nullopt};
    return self_->send(self_, order{std::make_shared<const command>(std::move(late))});
  }
  settings_.effects->stop(key);
  self_->delayed_send(self_, stop_grace, what);
}

void agent_shell::tell_queues(const std::vector<event>& happened) {
  for (const auto& event : happened) {
    if (const auto* const consumed = std::get_if<messages_consumed>(&event.data))
      settings_.queues->forget(consumed->message_ids);
    if (const auto* const withdrawn = std::get_if<message_withdrawn>(&event.data))
      settings_.queues->forget(withdrawn->message_ids);
    if (std::holds_alternative<session_closing>(event.data)
        || std::holds_alternative<session_closed>(event.data))
      settings_.queues->close();
  }
}

} // namespace troupe::actors
