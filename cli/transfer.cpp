// `troupe export` and `troupe import`: a session's log as a file.
#include "actors/history/export_log.hpp"
#include "actors/history/import_log.hpp"
#include "cli/commands.hpp"
#include "cli/exit_status.hpp"
#include "cli/interrupts.hpp"
#include "cli/log_file.hpp"
#include "cli/progress.hpp"
#include "persistence/this_process.hpp"

namespace troupe::cli {

namespace {

problem not_written(const std::string& file) {
  return {problem_code::invalid_input, "`" + file + "` can't be written", {}};
}

int export_session(const common_flags& common, const std::string& session, const std::string& file) {
  const auto kept = open_archive(common, "default");
  if (!kept)
    return complain(kept.error());
  const auto row = find_session(*kept, session);
  if (!row)
    return complain(row.error());
  watch_interrupts(2);
  log_destination where;
  if (const auto opened = where.open(file); !opened)
    return complain(opened.error());
  const auto came = actors::export_log(*kept->journal, *row, [&](const std::string& lines) {
    where.out() << lines;
    return where.out().good() && interrupts() == 0;
  });
  const auto finished = where.finish(came.has_value());
  if (!came && interrupts() > 0)
    return complain({problem_code::cancelled, "the export was stopped; there is no file", {}});
  if (!came && came.error().code != problem_code::cancelled)
    return complain(came.error());
  if (!came || !finished)
    return complain(finished ? not_written(file.empty() ? "the standard output" : file) : finished.error());
  if (!file.empty() && file != "-")
    std::cerr << "Exported " << came->events << " events and " << came->blobs << " texts to " << file << "\n";
  return done;
}

int import_session(const common_flags& common, const std::string& file) {
  const auto from = read_log_file(file);
  if (!from)
    return complain(from.error());
  const auto kept = open_archive(common, "default");
  if (!kept)
    return complain(kept.error());
  watch_interrupts(2);
  progress shown;
  const auto node = persistence::this_process("troupe import");
  const auto came = actors::import_log(*kept->journal, kept->tenant, node, **from, [&](std::int64_t events) {
    shown.tell([&] { return "Imported " + std::to_string(events) + " events"; });
    return interrupts() == 0;
  });
  kept->journal->leave(node);
  if (!came && (*from)->bad())
    return complain({problem_code::invalid_input,
        "`" + file + "` is damaged: what is compressed in it breaks off or doesn't add up", {}});
  if (!came)
    return complain(came.error());
  if (common.json) {
    json::writer out;
    out.begin_object().field("id", came->session).key("events").number(came->events).end_object();
    std::cout << out.text() << "\n";
  } else {
    std::cout << came->session << ": " << came->events << " events and " << came->blobs << " texts\n";
  }
  return done;
}

} // namespace

void add_export(CLI::App& app, const common_flags& common, int& status) {
  auto session = std::make_shared<std::string>();
  auto file = std::make_shared<std::string>();
  auto* const command =
      app.add_subcommand("export", "A session's log as JSON Lines, with all that it refers to");
  command->add_option("session", *session, "The session's id")->required();
  command->add_option("file", *file,
      "Where to, compressed if its name ends in .gz; without it, or as `-`, the standard output");
  command->footer("Examples:\n  troupe export demo demo.jsonl\n  troupe export demo demo.jsonl.gz\n  troupe "
                  "export demo | "
                  "zstd > demo.jsonl.zst");
  command->callback([&, session, file] { status = export_session(common, *session, *file); });
}

void add_import(CLI::App& app, const common_flags& common, int& status) {
  auto file = std::make_shared<std::string>();
  auto* const command = app.add_subcommand("import", "A session from a file that `troupe export` wrote");
  command
      ->add_option("file", *file,
          "The file, also a compressed one; everything in it is checked before anything is stored")
      ->required();
  command->footer(
      "The session keeps its id, its events their numbers, times and ids. One that exists is refused.\n"
      "What was at work in it goes on when somebody takes it up.\n"
      "Examples:\n  troupe import demo.jsonl\n  troupe import demo.jsonl.gz");
  command->callback([&, file] { status = import_session(common, *file); });
}

} // namespace troupe::cli
