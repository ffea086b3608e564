// `troupe replay`: a session as it happened, its decisions made again, or its input given to another model.
#include "actors/history/gym_script.hpp"
#include "actors/history/playback.hpp"
#include "cli/commands.hpp"
#include "cli/dry_run.hpp"
#include "cli/exit_status.hpp"
#include "cli/interrupts.hpp"
#include "cli/log_pages.hpp"
#include "cli/run_screen.hpp"
#include "cli/transcript.hpp"
#include "cli/verifying.hpp"
#include "messages/event_codec.hpp"

#include <fstream>

namespace troupe::cli {

namespace {

struct replay_flags {
  std::string session;
  std::int64_t until = 0;
  double speed = 1;
  bool verify = false;
  bool all = false;
  std::string script;
  std::optional<std::string> with;
};

/// Shows the items when they are due; false once somebody has had enough.
class player {
 public:
  player(bool as_json, double speed) : as_json_(as_json), speed_(speed), screen_(as_json) {}

  bool play(const recorded_event& event) {
    for (const auto& item : playback_.take(event)) {
      if (interrupted_within(actors::played_pause(last_.value_or(item.at), item.at, speed_)))
        return false;
      last_ = item.at;
      const auto* const committed = std::get_if<recorded_event>(&item.what);
      if (committed && committed->type == "message.queued" && !as_json_)
        say(*committed);
      screen_.show(item.what);
    }
    return true;
  }
  void end() { screen_.end_line(); }

 private:
  void say(const recorded_event& stored) {
    const auto happened = decode(stored);
    const auto* const it = happened ? std::get_if<message_queued>(&happened->data) : nullptr;
    if (!it)
      return;
    screen_.end_line();
    std::cerr << "> " << glance(plain_text(it->content), 2000) << std::endl;
  }

  bool as_json_;
  double speed_;
  run_screen screen_;
  actors::playback playback_;
  std::optional<timestamp> last_;
};

int play(const common_flags& common, const archive& kept, const persistence::session_row& row,
    const replay_flags& flags, std::int64_t last) {
  watch_interrupts(0);
  player shown(common.json, flags.speed);
  const auto played =
      each_event(kept, row, 0, last, [&](const recorded_event& event) { return shown.play(event); });
  shown.end();
  return played ? done : complain(played.error());
}

int write_script(
    const archive& kept, const persistence::session_row& row, const std::string& file, std::int64_t last) {
  actors::gym_script script;
  if (const auto read = each_decoded(kept, row, 0, last, [&](const event& it) { script.take(it); }); !read)
    return complain(read.error());
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << script.lines();
  out.close();
  if (!out)
    return complain({problem_code::invalid_input, "`" + file + "` can't be written", {}});
  std::cerr << script.answers() << (script.answers() == 1 ? " answer is in " : " answers are in ") << file
            << ": `troupe gym --script " << file << "`\n";
  if (script.left_out() > 0)
    std::cerr << script.left_out() << " that were cut off, or are summaries of compactions, are not\n";
  return done;
}

int replay(const common_flags& common, const replay_flags& flags) {
  if (flags.all && (!flags.verify || !flags.session.empty() || flags.until > 0 || flags.with))
    return complain({problem_code::invalid_input,
        "`--all` goes with `--verify` alone: `troupe replay --verify --all`", {}});
  if (!flags.all && flags.session.empty())
    return complain({problem_code::invalid_input,
        "name a session (`troupe sessions` lists them), or verify all: `troupe replay --verify --all`", {}});
  if (flags.all)
    return verify_all(common);
  if (flags.with) {
    if (flags.verify || flags.until > 0 || !flags.script.empty())
      return complain({problem_code::invalid_input,
          "`--with` runs the whole session again; it goes with neither `--verify`, `--until` nor `--script`",
          {}});
    const auto changes = changes_of(*flags.with);
    return changes ? dry_run(common, flags.session, *changes) : complain(changes.error());
  }
  const auto kept = open_archive(common, "default");
  if (!kept)
    return complain(kept.error());
  const auto row = find_session(*kept, flags.session);
  if (!row)
    return complain(row.error());
  if (flags.until > row->head)
    return complain({problem_code::invalid_input,
        "the session `" + row->id + "` has events 1 to " + std::to_string(row->head) + ", not "
            + std::to_string(flags.until),
        {}});
  const std::int64_t last = flags.until > 0 ? flags.until : row->head;
  if (flags.verify)
    return verify_one(common, *kept, *row, flags.until);
  tell_what_was_removed(*kept, *row);
  return flags.script.empty() ? play(common, *kept, *row, flags, last)
                              : write_script(*kept, *row, flags.script, last);
}

} // namespace

void add_replay(CLI::App& app, const common_flags& common, int& status) {
  auto flags = std::make_shared<replay_flags>();
  auto* const command =
      app.add_subcommand("replay", "Plays a session back as it happened, verifies its log, or runs it again");
  command->add_option("session", flags->session, "The session's id");
  command->add_option("--until", flags->until, "Up to this event")->check(CLI::PositiveNumber);
  command->add_option("--speed", flags->speed, "So many times as fast; 0: at once. No pause is over 10 s")
      ->check(CLI::Range(0.0, actors::played_speed_max))
      ->capture_default_str();
  command->add_flag("--verify", flags->verify,
      "Decides everything again from the recorded inputs, and tells the first difference");
  command->add_option("--script", flags->script, "Writes a script for the gym that plays its answers again");
  command->add_option("--with", flags->with,
      "Says what was said once more, to a fork with this provider=…,model=…,effort=…,instructions=… (@FILE), "
      "and tells where the answers part; calls get their recorded results, nothing is carried out");
  command->add_flag("--all", flags->all, "With --verify: every session");
  command->footer("Examples:\n  troupe replay demo\n  troupe replay demo --speed 10 --until 40\n"
                  "  troupe replay demo --verify\n  troupe replay --verify --all --json\n"
                  "  troupe replay demo --script demo.rules && troupe gym --script demo.rules\n"
                  "  troupe replay demo --with model=claude-sonnet-4-5,instructions=@prompt.txt");
  command->callback([&, flags] { status = replay(common, *flags); });
}

} // namespace troupe::cli
