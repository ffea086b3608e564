// The log is read whole, a node is started whose tools give what is on record, and each input waits for the
// session to be idle: what was said while a run went on is said behind it.
#include "cli/dry_run.hpp"

#include "actors/history/log_folding.hpp"
#include "cli/exit_status.hpp"
#include "cli/interrupts.hpp"
#include "cli/log_pages.hpp"
#include "cli/transcript.hpp"

#include <future>

namespace troupe::cli {

namespace {

/// The log behind `after`, up to its head.
result<actors::recording> recording_of(
    const archive& kept, const persistence::session_row& row, std::int64_t after = 0) {
  actors::recording said;
  const auto read = each_decoded(kept, row, after, row.head, [&](const event& it) { said.take(it); });
  if (!read)
    return read.error();
  return said;
}

/// The options that a session began with, and those it has.
struct options_over_time {
  options began;
  options now;
};

result<options_over_time> options_of(const archive& kept, const persistence::session_row& row) {
  const auto first = actors::fold_to(*kept.journal, row, 1);
  const auto last = first ? actors::fold_to(*kept.journal, row, row.head) : first;
  if (!last)
    return last.error();
  options_over_time out{*first->state->options, *last->state->options};
  if (auto& instructions = out.now.instructions; instructions && !instructions->loaded) {
    auto text = kept.journal->blob_of(row.key, instructions->ref->blob);
    if (!text)
      return text.error();
    instructions = large_text(*std::move(text));
  }
  return out;
}

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

/// What came of the whole of it.
struct dry_run_report {
  std::string fork;
  std::vector<actors::recorded_answer> recorded;
  std::vector<actors::recorded_answer> now;
  std::size_t unknown_calls = 0;
  std::optional<std::string> stopped; ///< why not everything was said

  int tell(bool as_json) const {
    const auto found = actors::compare(recorded, now);
    as_json ? tell_json(found) : tell_people(found);
    return found.parted() || stopped ? work_failed : done;
  }

 private:
  void tell_json(const actors::dry_run_comparison& found) const {
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

  void tell_people(const actors::dry_run_comparison& found) const {
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
};

/// Says one input and waits; what stopped it, if anything did.
std::optional<std::string> say(actors::session_handle& fork, accept_message input) {
  if (const auto posted = fork.post(std::move(input)); !posted)
    return posted.error().detail;
  while (true) {
    if (interrupts() > 0) {
      (void)fork.abort("user");
      return "interrupted";
    }
    const auto so = fork.wait(true, std::chrono::milliseconds(200));
    if (!so)
      return so.error().detail;
    if (!*so)
      continue;
    const auto& now = ***so;
    if (now.parked || session::status(now) == "waiting")
      return std::string("the fork ") + (now.parked ? "is parked" : "waits for somebody");
    return std::nullopt;
  }
}

} // namespace

int dry_run(const common_flags& common, const std::string& session, const actors::dry_run_changes& changes) {
  const auto configuration = load_configuration(common);
  if (!configuration)
    return complain(configuration.error());
  const auto kept = open_archive(common, "default");
  if (!kept)
    return complain(kept.error());
  const auto row = find_session(*kept, session);
  if (!row)
    return complain(row.error());
  const auto said = recording_of(*kept, *row);
  if (!said)
    return complain(said.error());
  const auto options = options_of(*kept, *row);
  if (!options)
    return complain(options.error());
  if (said->inputs().empty())
    return complain({problem_code::invalid_input, "nobody has said anything to `" + row->id + "`", {}});

  const auto results = std::make_shared<actors::recorded_results>(said->results());
  const auto node = start_node(*configuration, kept->database, node_role::command,
      [&](actors::node_settings& settings) -> result<void> {
        auto box = actors::recorded_tools(settings.tools, options->now, results);
        if (!box)
          return box.error();
        settings.tools = *std::move(box);
        return {};
      });
  if (!node)
    return complain(node.error());
  dry_run_report report{(*node)->new_id(), said->answers(), {}, 0, {}};
  std::promise<result<bool>> made;
  (*node)->fork(row->id, 1, report.fork,
      actors::options_of_dry_run(options->began, options->now, (*node)->tools(), changes),
      [&](const result<bool>& came) { made.set_value(came); });
  if (const auto came = made.get_future().get(); !came)
    return complain(came.error());
  troupe::options wanted;
  wanted.id = report.fork;
  auto fork = (*node)->open(std::move(wanted), actors::opening::find);
  if (!fork)
    return complain(fork.error());
  watch_interrupts(2);
  std::size_t told = 0;
  for (const auto& input : said->inputs()) {
    std::cerr << ++told << " of " << said->inputs().size() << ": " << glance(plain_text(input.content))
              << "\n";
    if ((report.stopped = say(*fork, actors::said_again(input, changes))))
      break;
  }
  const auto forked = find_session(*kept, report.fork);
  const auto answered = forked ? recording_of(*kept, *forked, 1) : forked.error();
  if (!answered)
    return complain(answered.error());
  report.now = answered->answers();
  report.unknown_calls = results->unknown();
  return report.tell(common.json);
}

} // namespace troupe::cli
