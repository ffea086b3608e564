// One loop: show, look whether it is over, ask what waits.
#include "cli/run_following.hpp"

#include "cli/exit_status.hpp"
#include "cli/interrupts.hpp"
#include "cli/run_screen.hpp"
#include "cli/transcript.hpp"

namespace troupe::cli {

namespace {

int status_of_end(const session::state& now, const std::optional<run_finished>& end, run_screen& screen) {
  screen.end_line();
  if (now.parked) {
    std::cerr << "The session is parked; `troupe run --session " << now.options->id << "` tries anew.\n";
    return work_failed;
  }
  if (!end || end->outcome.kind == run_outcome_kind::completed)
    return done;
  const auto& outcome = end->outcome;
  if (outcome.kind == run_outcome_kind::error && outcome.error) {
    std::cerr << "The run failed: " << for_terminal(outcome.error->message) << "\n";
    return outcome.error->code == "network" || outcome.error->code == "timeout" ? unreachable : work_failed;
  }
  const char* const why = outcome.kind == run_outcome_kind::max_turns ? "it reached the session's max_turns"
      : outcome.kind == run_outcome_kind::max_tokens ? "the answer reached its limit of tokens"
      : outcome.kind == run_outcome_kind::aborted    ? "it was aborted"
                                                     : "it was stopped";
  std::cerr << "The run ended early: " << why << ".\n";
  return work_failed;
}

} // namespace

int follow(
    actors::session_handle& session, actors::live_stream& stream, std::int64_t before, following& how) {
  watch_interrupts(2);
  std::int64_t seen = before;
  run_screen screen(how.json);
  if (const auto look = session.look(std::chrono::seconds(1)))
    screen.know((*look)->calls);
  std::optional<run_finished> end;
  int told = 0;
  while (true) {
    if (how.meanwhile)
      how.meanwhile();
    if (interrupts() > told) {
      told = interrupts();
      std::cerr << "\nAborting; once more to leave at once.\n";
      if (const auto aborted = session.abort("user"); !aborted)
        return complain(aborted.error());
    }
    const auto item = stream.next(std::chrono::milliseconds(100));
    bool may_be_over = !item;
    if (item) {
      const auto happened = screen.show(*item);
      if (happened) {
        seen = happened->seq;
        if (const auto* const finished = std::get_if<run_finished>(&happened->data))
          end = *finished;
        if (const auto* const uncertain = std::get_if<tool_uncertain>(&happened->data))
          how.answer.uncertain_since.insert(uncertain->execution_id);
        may_be_over = end || std::holds_alternative<permission_requested>(happened->data)
            || std::holds_alternative<tool_uncertain>(happened->data)
            || std::holds_alternative<session_parked>(happened->data);
      }
    } else if (stream.ended()) {
      return complain({problem_code::unavailable,
          "the event stream broke off; the session goes on, see `troupe show " + session.id() + "`", {}});
    }
    if (!may_be_over)
      continue;
    const auto look = session.look(std::chrono::seconds(1));
    if (!look && look.error().code == problem_code::timeout)
      continue; // the database is away; an interrupt must be heard meanwhile
    if (!look)
      return complain(look.error());
    screen.know((*look)->calls);
    const auto& now = **look;
    if (now.head > seen)
      continue;
    const auto status = session::status(now);
    if (status == "waiting") {
      screen.end_line();
      const auto answered = answer_questions(session, now, how.answer);
      if (!answered)
        return complain(answered.error());
      if (!*answered && interrupts() == told)
        return work_failed;
    } else if (status != "running" && !session::needs_work(now)) {
      if (!end && seen == before)
        std::cerr << "Nothing was cut off in this session; give a PROMPT to go on.\n";
      return status_of_end(now, end, screen);
    }
  }
}

} // namespace troupe::cli
