// The first answer that differs, the tokens of both, and where the fork is.
#include "cli/dry_run_report.hpp"

#include "cli/exit_status.hpp"

namespace troupe::cli {

namespace {

std::string told(const std::optional<actors::recorded_answer>& answer) {
  if (!answer)
    return "nothing more";
  std::string line;
  for (const auto& call : answer->calls)
    line += (line.empty() ? "" : ", ") + ("calls " + call.name + " " + glance(call.arguments, 400));
  if (!answer->text.empty())
    line = "\"" + glance(answer->text, 400) + "\"" + (line.empty() ? "" : ", then " + line);
  return line.empty() ? "an empty answer (" + answer->end + ")" : line;
}

void put(json::writer& out, const char* key, const std::optional<actors::recorded_answer>& answer) {
  out.key(key);
  if (!answer)
    return void(out.null());
  out.begin_object().key("seq").number(answer->seq).field("text", answer->text).key("calls").begin_array();
  for (const auto& call : answer->calls)
    out.begin_object().field("name", call.name).field("arguments", call.arguments).end_object();
  out.end_array().field("end", answer->end).end_object();
}

void put(json::writer& out, const char* key, const std::vector<actors::recorded_answer>& answers) {
  const auto tokens = actors::tokens_of(answers);
  out.key(key).begin_object().key("answers").number(static_cast<std::uint64_t>(answers.size()));
  const auto number = [&](const char* name, const std::optional<std::int64_t>& value) {
    out.key(name);
    value ? out.number(*value) : out.null();
  };
  number("input_tokens", tokens.input_tokens);
  number("output_tokens", tokens.output_tokens);
  out.end_object();
}

std::string counted(const usage& tokens) {
  return std::to_string(tokens.input_tokens.value_or(0)) + " + "
      + std::to_string(tokens.output_tokens.value_or(0));
}

} // namespace

int dry_run_report::tell(bool as_json) const {
  const auto found = actors::compare(recorded, now);
  as_json ? tell_json(found) : tell_people(found);
  return found.parted() || stopped ? work_failed : done;
}

void dry_run_report::tell_json(const actors::dry_run_comparison& found) const {
  json::writer out;
  out.begin_object().field("fork", fork).key("same").number(static_cast<std::uint64_t>(found.same));
  out.key("parts_at");
  if (found.parted()) {
    out.begin_object();
    put(out, "recorded", found.recorded);
    put(out, "now", found.now);
    out.end_object();
  } else {
    out.null();
  }
  put(out, "recorded", recorded);
  put(out, "now", now);
  out.key("unknown_calls").number(static_cast<std::uint64_t>(unknown_calls)).key("stopped");
  stopped ? out.string(*stopped) : out.null();
  std::cout << out.end_object().text() << std::endl;
}

void dry_run_report::tell_people(const actors::dry_run_comparison& found) const {
  if (stopped)
    std::cout << "Stopped: " << for_terminal(*stopped) << "\n";
  if (found.parted())
    std::cout << "They part at answer " << found.same + 1 << " of " << recorded.size()
              << ":\n  recorded: " << told(found.recorded) << "\n  now:      " << told(found.now) << "\n";
  else
    std::cout << "All " << found.same << " answers are the same.\n";
  if (unknown_calls > 0)
    std::cout << unknown_calls << " calls were not made in the recording, and got an error.\n";
  std::cout << "Tokens, input + output: recorded " << counted(actors::tokens_of(recorded)) << ", now "
            << counted(actors::tokens_of(now)) << ".\nThe fork is " << fork << ": `troupe show " << fork
            << "`, `troupe erase " << fork << "`\n";
}

} // namespace troupe::cli
