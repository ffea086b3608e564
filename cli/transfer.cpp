// `troupe export` and `troupe import`: a session's log as a file.
#include "actors/history/export_log.hpp"
#include "actors/history/import_log.hpp"
#include "cli/commands.hpp"
#include "cli/exit_status.hpp"
#include "cli/interrupts.hpp"
#include "persistence/this_process.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace troupe::cli {

namespace {

/// Says how far it is, every two seconds.
class progress {
 public:
  explicit progress(std::string what) : what_(std::move(what)) {}
  void tell(std::int64_t events) {
    const auto now = std::chrono::steady_clock::now();
    if (now < told_at_ + std::chrono::seconds(2))
      return;
    told_at_ = now;
    std::cerr << what_ << " " << events << " events\n";
  }

 private:
  std::string what_;
  std::chrono::steady_clock::time_point told_at_ = std::chrono::steady_clock::now();
};

problem cannot(const std::string& what, const std::string& file) {
  return {problem_code::invalid_input, "`" + file + "` can't be " + what, {}};
}

// A file is there whole or not at all: it has its name when it is written to its end.
int export_session(const common_flags& common, const std::string& session, const std::string& file) {
  const auto kept = open_archive(common, "default");
  if (!kept)
    return complain(kept.error());
  const auto row = find_session(*kept, session);
  if (!row)
    return complain(row.error());
  watch_interrupts(2);
  const bool to_file = !file.empty() && file != "-";
  const std::string part = file + ".part";
  std::ofstream written;
  if (to_file) {
    written.open(part, std::ios::binary | std::ios::trunc);
    if (!written)
      return complain(cannot("written", part));
  }
  std::ostream& out = to_file ? static_cast<std::ostream&>(written) : std::cout;
  const auto done_with = actors::export_log(*kept->journal, *row, [&](const std::string& lines) {
    out << lines;
    return out.good() && interrupts() == 0;
  });
  out.flush();
  std::error_code failed;
  if (to_file && done_with && out.good()) {
    written.close();
    std::filesystem::rename(part, file, failed);
  }
  if (!done_with || !out.good() || failed) {
    if (to_file)
      std::filesystem::remove(part, failed);
    return complain(
        done_with ? cannot("written", to_file ? file : "the standard output") : done_with.error());
  }
  if (to_file)
    std::cerr << "Exported " << done_with->events << " events and " << done_with->blobs << " texts to "
              << file << "\n";
  return done;
}

int import_session(const common_flags& common, const std::string& file) {
  std::ifstream from(file, std::ios::binary);
  if (!from || std::filesystem::is_directory(file))
    return complain(cannot("read; give a file that `troupe export` wrote (it is read twice)", file));
  const auto kept = open_archive(common, "default");
  if (!kept)
    return complain(kept.error());
  watch_interrupts(2);
  progress shown("Imported");
  const auto node = persistence::this_process("troupe import");
  const auto came = actors::import_log(*kept->journal, kept->tenant, node, from, [&](std::int64_t events) {
    shown.tell(events);
    return interrupts() == 0;
  });
  kept->journal->leave(node);
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
  command->add_option("file", *file, "Where to; without it, or as `-`, the standard output");
  command->footer("Examples:\n  troupe export demo demo.jsonl\n  troupe export demo | zstd > demo.jsonl.zst");
  command->callback([&, session, file] { status = export_session(common, *session, *file); });
}

void add_import(CLI::App& app, const common_flags& common, int& status) {
  auto file = std::make_shared<std::string>();
  auto* const command = app.add_subcommand("import", "A session from a file that `troupe export` wrote");
  command->add_option("file", *file, "The file; everything in it is checked before anything is stored")
      ->required();
  command->footer(
      "The session keeps its id, its events their numbers, times and ids. One that exists is refused.\n"
      "What was at work in it goes on when somebody takes it up.\n"
      "Examples:\n  troupe import demo.jsonl");
  command->callback([&, file] { status = import_session(common, *file); });
}

} // namespace troupe::cli
