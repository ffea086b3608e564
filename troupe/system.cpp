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
        library::running_system::start(std::move(settings), own_tools(how.tools), how.takes_over, how.rest)
            .value()) {}

system::system(system&&) noexcept = default;

system& system::operator=(system&& other) noexcept {
  if (this == &other)
    return *this;
  if (running_)
    running_->end();
  running_ = std::move(other.running_);
  return *this;
}

system::~system() {
  if (running_)
    running_->end();
}

library::running_system& system::running() const {
  if (!running_)
    throw error(library::system_has_ended()); // it was moved from
  return *running_;
}

agent system::open(agent_options wanted) { return begin(std::move(wanted), false); }
agent system::create(agent_options wanted) { return begin(std::move(wanted), true); }

agent system::begin(agent_options given, bool anew) {
  const std::string id = given.id.empty() ? persistence::new_uuid() : std::move(given.id);
  if (anew && find(id)) // before its tools would be exchanged
    throw error({problem_code::conflict, "the session `" + id + "` exists", {}});
  const auto wanted = options_of(given, id, running().settings());
  bool had_tools = false;
  auto session = running_->wait<actors::session_handle>([&](actors::reception& desk, auto answer) {
    auto& node = desk.of();
    had_tools = node.tools().has_given(id);
    if (const auto known = node.tools_to_give().give(id, own_tools(given.tools)); !known)
      return answer(known.error());
    node.open(wanted, anew ? actors::opening::create : actors::opening::either, true, std::move(answer));
  });
  if (!session && !had_tools)
    take_back_tools(id);
  agent made(running_, id);
  if (!session.value().created() && wanted.tools)
    made.have_tools(*wanted.tools);
  return made;
}

void system::take_back_tools(const std::string& id) {
  const library::running_system::borrowed_node node(running());
  if (node)
    node->tools_to_give().take_back(id);
}

std::optional<agent> system::find(const std::string& id) {
  const auto row = running().wait<persistence::session_row>(
      [&](actors::reception& desk, auto answer) { desk.row(id, std::move(answer)); });
  if (!row && row.error().code == problem_code::not_found)
    return std::nullopt;
  return row.value().begun() ? std::optional(agent(running_, id)) : std::nullopt;
}

void system::erase(const std::string& id) {
  (void)running()
      .wait<bool>([&](actors::reception& desk, auto answer) { desk.erase(id, std::move(answer)); })
      .value();
  take_back_tools(id);
}

std::vector<std::string> system::sessions(const std::string& status) {
  using ids = std::vector<std::string>;
  return running()
      .wait<ids>([&](actors::reception& desk, auto answer) {
        auto& node = desk.of();
        node.read([&node, status, answer](persistence::journal& journal) {
          const auto rows = journal.list(node.tenant(), status, sessions_max);
          if (!rows)
            return answer(rows.error());
          ids found;
          for (const auto& row : *rows)
            if (row.begun())
              found.push_back(row.id);
          answer(std::move(found));
        });
      })
      .value();
}

} // namespace troupe
