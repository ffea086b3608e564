// A node that does what its arguments say and tells of everything that was acknowledged: the victim
// of the crash tests.
//
//   crash_driver DATABASE GYM ROOT [ask] [lease=MS] [node=NAME] STEP…
//
// Steps: `post:ID:TEXT`, `steer:ID:TEXT`, `allow`, `deny`, `rerun`, `abandon`, `abort`, `start`,
// `wait` (for somebody or for idle), `idle`, `line` (one of stdin). Each line of stdout says one thing
// that is committed: `accepted ID SEQ`, `decided ID`, `resolved ID`, `event SEQ TYPE`, …
#include "actors/node.hpp"
#include "persistence/postgres_journal.hpp"
#include "persistence/this_process.hpp"
#include "providers/anthropic/format.hpp"
#include "tools/workspace/workspace.hpp"

#include <iostream>
#include <thread>

extern char** environ;

namespace {

using namespace troupe;

constexpr std::chrono::seconds patience{60};

void tell(const std::string& line) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::cout << line << std::endl;
}

int refused(const problem& why) {
  tell("refused " + std::string(name_of(why.code)) + " " + why.detail);
  return 1;
}

struct order_of_the_day {
  std::string database;
  std::string gym;
  std::string root;
  bool ask = false;
  std::chrono::milliseconds lease{15'000};
  std::string node = "victim";
  std::vector<std::string> steps;
};

order_of_the_day read(const std::vector<std::string>& words) {
  order_of_the_day out{words.at(0), words.at(1), words.at(2), false, {}, "victim", {}};
  out.lease = std::chrono::milliseconds(15'000);
  for (std::size_t i = 3; i < words.size(); ++i)
    if (words[i] == "ask")
      out.ask = true;
    else if (words[i].starts_with("lease="))
      out.lease = std::chrono::milliseconds(std::stoll(words[i].substr(6)));
    else if (words[i].starts_with("node="))
      out.node = words[i].substr(5);
    else
      out.steps.push_back(words[i]);
  return out;
}

result<std::unique_ptr<actors::node>> start_node(const order_of_the_day& day) {
  actors::node_settings settings;
  providers::http_provider_settings http;
  http.name = "gym";
  http.base_url = day.gym;
  settings.providers["gym"] = {
      providers::anthropic::make_provider(std::move(http)), {"gym", "claude-gym"}, 1};
  tools::workspace_settings workspace;
  workspace.root = day.root;
  workspace.environment = tools::clean_environment(environ);
  workspace.shell_grace_ms = 60'000; // what doesn't heed a request to end is still there to be killed
  if (const auto added = tools::add_workspace(settings.tools, workspace); !added)
    return added.error();
  settings.open_journal = [&day]() -> result<std::shared_ptr<persistence::journal>> {
    auto journal = persistence::open_postgres_journal({day.database, {}});
    if (!journal)
      return journal.error();
    return std::shared_ptr<persistence::journal>(std::move(*journal));
  };
  settings.identity = persistence::this_process(day.node);
  settings.lease = day.lease;
  return actors::node::start(std::move(settings));
}

int post(actors::session_handle& session, const std::string& step) {
  const auto id_at = step.find(':') + 1;
  const auto text_at = step.find(':', id_at) + 1;
  accept_message message;
  message.message_id = step.substr(id_at, text_at - 1 - id_at);
  message.delivery = step.starts_with("steer") ? delivery::steer : delivery::send;
  message.content = content(step.substr(text_at));
  const auto answer = session.post(std::move(message));
  if (!answer)
    return refused(answer.error());
  tell((answer->duplicate ? "duplicate " : "accepted ") + answer->message_id + " "
      + std::to_string(answer->seq));
  return 0;
}

int rest(
    actors::session_handle& session, bool attention, std::shared_ptr<const session::state>* seen = nullptr) {
  const auto state = session.wait(attention, patience);
  if (!state)
    return refused(state.error());
  if (!*state)
    return refused({problem_code::timeout, "the session doesn't come to rest", {}});
  tell(std::string(session::status(***state)) + " " + std::to_string((**state)->head));
  if (seen)
    *seen = **state;
  return 0;
}

int answer(actors::session_handle& session, const std::string& step) {
  std::shared_ptr<const session::state> now;
  if (const int failed = rest(session, true, &now))
    return failed;
  for (const auto& call : now->calls) {
    command word;
    std::string line;
    if (call.phase == session::call_phase::asking && (step == "allow" || step == "deny")) {
      word = decide_permission{call.decision_id, step == "allow", "user", {}, {}};
      line = "decided " + call.decision_id;
    } else if (call.phase == session::call_phase::uncertain && (step == "rerun" || step == "abandon")) {
      word = give_verdict{call.execution_id, step == "rerun" ? verdict::rerun : verdict::abandon, "user", {}};
      line = "resolved " + call.execution_id;
    } else {
      continue;
    }
    if (const auto done = session.order(std::move(word)); !done)
      return refused(done.error());
    tell(line);
  }
  return 0;
}

int go(actors::session_handle& session, const std::string& step) {
  if (step.starts_with("post:") || step.starts_with("steer:"))
    return post(session, step);
  if (step == "wait" || step == "idle")
    return rest(session, step == "wait");
  if (step == "abort" || step == "start") {
    const auto head = step == "abort" ? session.abort("user") : session.order(start{});
    if (!head)
      return refused(head.error());
    tell((step == "abort" ? "aborted " : "started ") + std::to_string(*head));
    return 0;
  }
  if (step == "line") {
    std::string line;
    std::getline(std::cin, line);
    return 0;
  }
  return answer(session, step);
}

int run(const order_of_the_day& day) {
  const auto node = start_node(day);
  if (!node)
    return refused(node.error());
  options wanted;
  wanted.id = "s";
  wanted.provider = "gym";
  wanted.tools = std::vector<std::string>{"workspace"};
  if (day.ask)
    wanted.permissions = std::vector<permission_rule>{{"*", permission::ask, std::nullopt}};
  auto session = (*node)->open(wanted, actors::opening::either);
  if (!session)
    return refused(session.error());
  tell("open " + std::to_string(session->row().epoch));
  const auto stream = session->follow(session->row().head);
  std::atomic<bool> over{false};
  std::thread following([&] {
    while (!over && !stream->ended())
      if (const auto item = stream->next(std::chrono::milliseconds(50)))
        if (const auto* const stored = std::get_if<recorded_event>(&*item))
          tell("event " + std::to_string(stored->seq) + " " + stored->type);
  });
  int status = 0;
  for (const auto& step : day.steps)
    if ((status = go(*session, step)) != 0)
      break;
  over = true;
  following.join();
  return status;
}

} // namespace

int main(int count, char** words) {
  if (count < 4) {
    std::cerr << "usage: crash_driver DATABASE GYM ROOT STEP…\n";
    return 2;
  }
  return run(read(std::vector<std::string>(words + 1, words + count)));
}
