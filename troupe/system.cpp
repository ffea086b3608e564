// Sessions are opened by the node, with tools that they alone are given.
#include <troupe/system.hpp>

#include "messages/json.hpp"
#include "persistence/this_process.hpp"
#include "troupe/running_system.hpp"

namespace troupe {

namespace {

constexpr std::size_t sessions_max = 1'000;

std::vector<std::shared_ptr<tools::tool>> own_tools(const std::vector<agent_tool>& all) {
  std::vector<std::shared_ptr<tools::tool>> out;
  for (const auto& tool : all)
    if (tool.own())
      out.push_back(tool.own());
  return out;
}

options options_of(const agent_options& wanted, const std::string& id, const configuration& settings) {
  options out;
  out.id = id;
  out.provider = wanted.provider;
  out.model = wanted.model;
  out.effort = wanted.effort;
  out.service_tier = wanted.service_tier;
  if (!wanted.instructions.empty())
    out.instructions = large_text(wanted.instructions);
  if (!wanted.tools.empty()) {
    auto& names = out.tools.emplace();
    for (const auto& tool : wanted.tools)
      names.push_back(tool.name());
  }
  if (wanted.mode)
    out.mode = json::raw{json::quote(*wanted.mode)};
  out.permissions = wanted.permissions;
  out.compaction = wanted.compaction;
  out.output_limit = wanted.output_limit;
  out.max_output_tokens = wanted.max_output_tokens;
  out.temperature = wanted.temperature;
  out.thinking_budgets = wanted.thinking_budgets;
  out.steering_mode = wanted.steering_mode;
  out.send_mode = wanted.send_mode;
  out.tool_execution = wanted.tool_execution;
  out.max_turns = wanted.max_turns;
  out.on_failed_effect = wanted.on_failed_effect;
  out.retention = wanted.retention;
  out.metadata = wanted.metadata;
  const auto provider =
      settings.providers.find(wanted.provider.value_or(library::default_provider(settings)));
  if (provider != settings.providers.end())
    out.max_retries = provider->second.max_retries;
  out.max_retries = wanted.max_retries.value_or(out.max_retries);
  return out;
}

} // namespace

system::system(configuration settings, system_options how)
    : running_(
        library::running_system::start(std::move(settings), own_tools(how.tools), how.takes_over).value()) {}

system::system(system&&) noexcept = default;

system& system::operator=(system&& other) noexcept {
  if (running_)
    running_->end();
  running_ = std::move(other.running_);
  return *this;
}

system::~system() {
  if (running_)
    running_->end();
}

agent system::open(agent_options wanted) { return begin(std::move(wanted), false); }
agent system::create(agent_options wanted) { return begin(std::move(wanted), true); }

agent system::begin(agent_options given, bool anew) {
  const std::string id = given.id.empty() ? persistence::new_uuid() : std::move(given.id);
  const auto wanted = options_of(given, id, running_->settings());
  const auto session =
      running_
          ->wait<actors::session_handle>([&](actors::reception& desk, auto answer) {
            auto& node = desk.of();
            if (const auto known = node.tools_to_give().give(id, own_tools(given.tools)); !known)
              return answer(known.error());
            node.open(
                wanted, anew ? actors::opening::create : actors::opening::either, true, std::move(answer));
          })
          .value();
  agent made(running_, id);
  if (wanted.tools && !session.created())
    made.have_tools(*wanted.tools);
  return made;
}

std::optional<agent> system::find(const std::string& id) {
  const auto row = running_->wait<persistence::session_row>(
      [&](actors::reception& desk, auto answer) { desk.row(id, std::move(answer)); });
  if (!row && row.error().code == problem_code::not_found)
    return std::nullopt;
  (void)row.value();
  return agent(running_, id);
}

void system::erase(const std::string& id) {
  (void)running_->wait<bool>([&](actors::reception& desk, auto answer) { desk.erase(id, std::move(answer)); })
      .value();
}

std::vector<std::string> system::sessions(const std::string& status) {
  const auto found =
      running_
          ->wait<std::vector<actors::session_report>>([&](actors::reception& desk, auto answer) {
            desk.list(status, sessions_max, std::nullopt, std::move(answer));
          })
          .value();
  std::vector<std::string> ids;
  for (const auto& one : found)
    ids.push_back(one.row.id);
  return ids;
}

} // namespace troupe
