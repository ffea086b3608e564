// Permissions and uncertain calls, one after the other.
#include "cli/questions.hpp"

#include "cli/transcript.hpp"

#include <iostream>
#include <utility>

namespace troupe::cli {

namespace {

// The letter that the answer begins with, of those in `letters`; 0 at the end of input.
char ask(const answers& how, const std::string& question, const std::string& letters) {
  while (true) {
    const auto line = how.read(question);
    if (!line)
      return 0;
    if (!line->empty() && letters.find(line->front()) != std::string::npos)
      return line->front();
  }
}

std::string call_text(const session::call_state& call) {
  // all of it: what is approved must be seen
  return glance(call.name) + " " + for_terminal(call.effective_arguments().text);
}

std::optional<bool> permission_for(const session::call_state& call, const answers& how) {
  if (how.approve == "allow" || how.approve == "deny")
    return how.approve == "allow";
  if (!how.read)
    return std::nullopt;
  const char letter = ask(how, "May it run?  " + call_text(call) + "\n[y]es or [n]o: ", "yn");
  return letter == 0 ? std::nullopt : std::optional(letter == 'y');
}

// All of them before any is decided: a verdict is on what was seen.
void list_uncertain(const session::state& now, bool failed, const char* why) {
  bool first = true;
  for (const auto& call : now.calls)
    if (call.phase == session::call_phase::uncertain && call.failure.has_value() == failed) {
      if (std::exchange(first, false))
        std::cerr << "Uncertain: " << why << ":\n";
      std::cerr << "  " << call_text(call) << "\n";
      if (failed)
        std::cerr << "    " << glance(*call.failure, 1000) << "\n";
    }
}

void list_uncertain(const session::state& now) {
  list_uncertain(now, false, "the process died while this ran, so it may have been done or not");
  list_uncertain(now, true, "this failed, so it may have been done in part");
}

// The flag speaks of what was listed before it was given, not of what turned out just now.
std::optional<verdict> verdict_for(const session::call_state& call, const answers& how) {
  if (!how.verdict.empty() && !how.uncertain_since.contains(call.execution_id))
    return how.verdict == "rerun" ? verdict::rerun : verdict::abandon;
  if (!how.read)
    return std::nullopt;
  const char letter = ask(how, call_text(call) + "\n[r]un it again or [a]bandon it: ", "ra");
  return letter == 0 ? std::nullopt : std::optional(letter == 'r' ? verdict::rerun : verdict::abandon);
}

void say_how(const actors::session_handle& session, const session::call_state& call) {
  if (call.phase == session::call_phase::uncertain)
    std::cerr << "Say what becomes of it: troupe run --session " << session.id()
              << " --verdict rerun (or abandon)\n";
  else
    std::cerr << "Waits for permission: " << call_text(call) << "\nSay it: troupe run --session "
              << session.id() << " --approve allow (or deny)\n";
}

} // namespace

result<bool> answer_questions(
    actors::session_handle& session, const session::state& now, const answers& how) {
  bool asked = false;
  list_uncertain(now);
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
    if (!answer) {
      say_how(session, call);
      return false;
    }
    if (const auto taken = session.order(std::move(*answer)); !taken)
      return taken.error();
  }
  if (!asked)
    std::cerr << "The session waits for a client's result; post it, or abort the run.\n";
  return asked;
}

} // namespace troupe::cli
