// The log is read whole, a node is started whose tools give what is on record, and each input waits for the
// session to be idle: what was said while a run went on is said behind it.
#include "cli/dry_run.hpp"

#include "actors/history/log_folding.hpp"
#include "cli/dry_run_report.hpp"
#include "cli/exit_status.hpp"
#include "cli/interrupts.hpp"
#include "cli/log_pages.hpp"
#include "cli/transcript.hpp"

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
  if (!first->state->exists() || !last->state->exists())
    return problem{problem_code::corrupt,
        "the log of `" + row.id + "` doesn't begin with its options; `troupe replay --verify " + row.id
            + "` says more",
        {}};
  options_over_time out{*first->state->options, *last->state->options};
  return out;
}

/// Says one input, answers calls from the record, and waits; what stopped it, if anything did.
std::optional<std::string> say(
    actors::session_handle& fork, accept_message input, actors::recorded_results& results) {
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
    if (now.parked)
      return "the fork is parked";
    if (session::status(now) != "waiting")
      return std::nullopt;
    const auto answers = actors::recorded_answers(now, results);
    if (answers.empty())
      return "the fork waits for somebody";
    for (const auto& answer : answers)
      if (const auto given = fork.order(answer); !given)
        return given.error().detail;
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

  actors::recorded_results results(said->results());
  const auto node = library::start_node(*configuration, kept->database);
  if (!node)
    return complain(node.error());
  const auto tools = actors::recorded_tools((*node)->tools(), options->now);
  if (!tools)
    return complain(tools.error());
  dry_run_report report{(*node)->new_id(), said->answers(), {}, 0, {}};
  const auto made = (*node)->fork(
      row->id, 1, report.fork, actors::options_of_dry_run(options->began, options->now, *tools, changes));
  if (!made)
    return complain(made.error());
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
    if ((report.stopped = say(*fork, actors::said_again(input, changes), results)))
      break;
  }
  if (const auto closed = fork->order(close_session{}); !closed) // nobody goes on with it by mistake
    return complain(closed.error());
  const auto forked = find_session(*kept, report.fork);
  const auto answered = forked ? recording_of(*kept, *forked, 1) : forked.error();
  if (!answered)
    return complain(answered.error());
  report.now = answered->answers();
  report.unknown_calls = results.unknown();
  return report.tell(common.json);
}

} // namespace troupe::cli
