// Permissions and uncertain calls, one after the other.
#include "cli/questions.hpp"

#include "cli/transcript.hpp"

#include <iostream>

namespace troupe::cli {

namespace {

// The letter that the answer begins with, of those in `letters`; 0 at the end of input.
char ask(const std::string& question, const std::string& letters) {
  while (true) {
    std::cerr << question << std::flush;
    std::string line;
    if (!std::getline(std::cin, line))
      return 0;
    if (!line.empty() && letters.find(line.front()) != std::string::npos)
      return line.front();
  }
}

std::string call_text(const session::call_state& call) {
  // all of it: what is approved must be seen
  return glance(call.name) + " " + for_terminal(call.effective_arguments().text);
}

std::optional<bool> permission_for(const session::call_state& call, const answers& how) {
  if (how.approve == "allow" || how.approve == "deny")
    return how.approve == "allow";
  if (!how.terminal)
    return std::nullopt;
  const char letter = ask("May it run?  " + call_text(call) + "\n[y]es or [n]o: ", "yn");
  return letter == 0 ? std::nullopt : std::optional(letter == 'y');
}

std::optional<verdict> verdict_for(const session::call_state& call, const answers& how) {
  std::cerr << "Uncertain: the process died while this ran, so it may have been done or not:\n  "
            << call_text(call) << "\n";
  if (!how.verdict.empty())
    return how.verdict == "rerun" ? verdict::rerun : verdict::abandon;
  if (!how.terminal)
    return std::nullopt;
  const char letter = ask("[r]un it again or [a]bandon it: ", "ra");
  return letter == 0 ? std::nullopt : std::optional(letter == 'r' ? verdict::rerun : verdict::abandon);
}

result<bool> unanswered(actors::session_handle& session, const session::call_state& call) {
  if (call.phase == session::call_phase::uncertain)
    std::cerr << "Say what becomes of it: troupe run --session " << session.id()
              << " --verdict rerun (or abandon)\n";
  else if (call.phase == session::call_phase::asking)
    std::cerr << "Waits for permission: " << call_text(call) << "\nSay it: troupe run --session "
              << session.id() << " --approve allow (or deny)\n";
  return false;
}

} // namespace

result<bool> answer_questions(
    actors::session_handle& session, const session::state& now, const answers& how) {
  bool asked = false;
  for (const auto& call : now.calls) {
    std::optional<command> answer;
    if (call.phase == session::call_phase::asking) {
      if (const auto allow = permission_for(call, how))
        answer = decide_permission{call.decision_id, *allow, "user", std::nullopt, std::nullopt};
    } else if (call.phase == session::call_phase::uncertain) {
      if (const auto word = verdict_for(call, how))
        answer = give_verdict{call.execution_id, *word, "user", std::nullopt};
    } else {
      continue;
    }
    asked = true;
    if (!answer)
      return unanswered(session, call);
    if (const auto taken = session.order(std::move(*answer)); !taken)
      return taken.error();
  }
  if (!asked)
    std::cerr << "The session waits for a client's result; post it, or abort the run.\n";
  return asked;
}

} // namespace troupe::cli
