// Each call is a question to the desk, whose answer is told in the words of the public headers.
#include <troupe/agent.hpp>

#include "troupe/running_system.hpp"

#include <algorithm>

namespace troupe {

namespace {

using state = std::shared_ptr<const session::state>;

standing standing_of(const session::state& now) {
  standing out;
  out.status = session::status(now);
  out.head = now.head;
  out.run_id = now.run ? now.run->id : std::string();
  out.last_error = now.last_error;
  out.provider = now.settings.provider;
  out.model = now.settings.model;
  return out;
}

std::vector<open_decision> decisions_of(const session::state& now) {
  std::vector<open_decision> out;
  for (const auto& call : now.calls) {
    using kind = open_decision::kind;
    if (call.phase == session::call_phase::asking)
      out.push_back({kind::permission, call.decision_id, call.name, call.effective_arguments()});
    if (call.phase == session::call_phase::uncertain)
      out.push_back({kind::uncertain, call.execution_id, call.name, call.effective_arguments()});
  }
  return out;
}

/// The answer, by way of what the desk gives.
template <class Given, class Told, class Make> then<Given> told_as(then<Told> answer, Make make) {
  return [answer = std::move(answer), make](
             const result<Given>& got) { got ? answer(make(*got)) : answer(got.error()); };
}

then<state> told_as_standing(then<standing> answer) {
  return told_as<state>(std::move(answer), [](const state& now) { return standing_of(*now); });
}

accepted told(const actors::acceptance& got) { return {got.message_id, got.seq, got.duplicate}; }

accept_message message_of(content what, message_settings settings, delivery where) {
  accept_message out;
  out.delivery = where;
  out.content = std::move(what);
  if (settings != message_settings())
    out.settings = std::move(settings);
  return out;
}

} // namespace

void async_agent::send(content message, message_settings settings, then<accepted> answer) const {
  post(message_of(std::move(message), std::move(settings), delivery::send), std::move(answer));
}

void async_agent::steer(content message, message_settings settings, then<accepted> answer) const {
  post(message_of(std::move(message), std::move(settings), delivery::steer), std::move(answer));
}

void async_agent::post(accept_message message, then<accepted> answer) const {
  if (is_blank(message.content))
    return library::contained<accepted>(std::move(answer))(problem{
        problem_code::invalid_input, "the message is blank: say something, or use start() to go on", {}});
  of_.of_->ask<accepted>(
      [&](actors::reception& desk, then<accepted> tell) {
        desk.post(of_.id_, std::move(message), told_as<actors::acceptance>(std::move(tell), told));
      },
      std::move(answer));
}

void async_agent::order(command what, then<standing> answer) const {
  of_.of_->ask<standing>(
      [&](actors::reception& desk, then<standing> tell) {
        desk.order(of_.id_, std::move(what), told_as_standing(std::move(tell)));
      },
      std::move(answer));
}

void async_agent::start(then<standing> answer) const { order(troupe::start{}, std::move(answer)); }
void async_agent::continue_run(then<standing> answer) const {
  order(troupe::continue_run{}, std::move(answer));
}

void async_agent::abort(then<standing> answer) const {
  of_.of_->ask<standing>(
      [&](actors::reception& desk, then<standing> tell) {
        desk.abort(of_.id_, "user", told_as_standing(std::move(tell)));
      },
      std::move(answer));
}

void async_agent::compact(then<compacted> answer) const {
  of_.of_->ask<compacted>(
      [&](actors::reception& desk, then<compacted> tell) {
        desk.compact(of_.id_, told_as<actors::compaction_report>(std::move(tell), [](const auto& got) {
          return compacted{got.seq, got.tokens_before, got.tokens_after, got.cleared};
        }));
      },
      std::move(answer));
}

void async_agent::reset(then<std::int64_t> answer) const {
  of_.of_->ask<std::int64_t>(
      [&](actors::reception& desk, then<std::int64_t> tell) { desk.reset(of_.id_, std::move(tell)); },
      std::move(answer));
}

void async_agent::close(then<standing> answer) const {
  of_.of_->ask<standing>([&](actors::reception& desk,
                             then<standing> tell) { desk.close(of_.id_, told_as_standing(std::move(tell))); },
      std::move(answer));
}

void async_agent::update(json::raw changes, then<standing> answer) const {
  order(update_session{std::move(changes)}, std::move(answer));
}

void async_agent::answer_call(command what, then<standing> answer) const {
  of_.of_->ask<standing>(
      [&](actors::reception& desk, then<standing> tell) {
        desk.answer_call(of_.id_, std::move(what), told_as_standing(std::move(tell)));
      },
      std::move(answer));
}

void async_agent::allow(
    std::string decision_id, std::optional<json::raw> arguments, then<standing> answer) const {
  answer_call(decide_permission{std::move(decision_id), true, "user", std::nullopt, std::move(arguments)},
      std::move(answer));
}

void async_agent::deny(std::string decision_id, std::string reason, then<standing> answer) const {
  auto why = reason.empty() ? std::nullopt : std::optional(std::move(reason));
  answer_call(
      decide_permission{std::move(decision_id), false, "user", std::move(why), {}}, std::move(answer));
}

void async_agent::give_verdict(std::string execution_id, verdict what, then<standing> answer) const {
  answer_call(troupe::give_verdict{std::move(execution_id), what, "user", {}}, std::move(answer));
}

void async_agent::decisions(then<std::vector<open_decision>> answer) const {
  using all = std::vector<open_decision>;
  of_.of_->ask<all>(
      [&](actors::reception& desk, then<all> tell) {
        desk.look(
            of_.id_, told_as<state>(std::move(tell), [](const state& now) { return decisions_of(*now); }));
      },
      std::move(answer));
}

void async_agent::look(then<standing> answer) const {
  of_.of_->ask<standing>([&](actors::reception& desk,
                             then<standing> tell) { desk.look(of_.id_, told_as_standing(std::move(tell))); },
      std::move(answer));
}

void async_agent::wait(
    bool attention, std::chrono::milliseconds patience, then<std::optional<standing>> answer) const {
  using maybe = std::optional<standing>;
  constexpr std::chrono::hours longest{24 * 365};
  patience = std::clamp<std::chrono::milliseconds>(patience, {}, longest);
  of_.of_->ask<maybe>(
      [&](actors::reception& desk, then<maybe> tell) {
        desk.wait(of_.id_, attention, patience,
            told_as<std::optional<actors::session_report>>(std::move(tell),
                [](const auto& so) { return so ? maybe(standing_of(*so->state)) : maybe(); }));
      },
      std::move(answer));
}

void async_agent::context(std::optional<std::int64_t> at, then<std::vector<message>> answer) const {
  using messages = std::vector<message>;
  of_.of_->ask<messages>(
      [&](actors::reception& desk, then<messages> tell) {
        desk.context_at(of_.id_, at,
            told_as<std::pair<std::int64_t, messages>>(
                std::move(tell), [](const auto& got) { return got.second; }));
      },
      std::move(answer));
}

void async_agent::fork(std::int64_t at, std::string id, json::raw changes, then<agent> answer) const {
  of_.of_->ask<agent>(
      [&](actors::reception& desk, then<agent> tell) {
        if (id.empty())
          id = desk.of().new_id();
        auto& tools = desk.of().tools_to_give();
        const bool had_some = tools.has_given(id); // it exists, or did: its own stay where this is refused
        if (!had_some)
          tools.share(of_.id_, id);
        desk.fork(of_.id_, at, id, std::move(changes),
            [&tools, had_some, tell = std::move(tell), of = of_.of_, id](
                const result<actors::session_report>& made) {
              if (!made && !had_some)
                tools.take_back(id);
              made ? tell(agent(of, id)) : tell(made.error());
            });
      },
      std::move(answer));
}

} // namespace troupe
