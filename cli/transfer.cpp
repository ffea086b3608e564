// `troupe export` and `troupe import`: a session's log as a file.
#include "actors/history/export_log.hpp"
#include "actors/history/import_log.hpp"
#include "cli/commands.hpp"
#include "cli/exit_status.hpp"
#include "cli/interrupts.hpp"
#include "persistence/this_process.hpp"

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <unistd.h>

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

/// Where an export goes. A file is there whole or not at all: it has its name when it is written to its end.
/// What is no file (a pipe, a device) is written as it is.
class destination {
 public:
  /// Errors: `invalid_input`.
  result<void> open(const std::string& file) {
    if (file.empty() || file == "-")
      return {};
    std::error_code absent;
    name_ = std::filesystem::weakly_canonical(file, absent).string();
    if (absent)
      name_ = file;
    const bool is_file =
        !std::filesystem::exists(name_, absent) || std::filesystem::is_regular_file(name_, absent);
    written_to_ = is_file ? name_ + ".part-" + std::to_string(::getpid()) : name_;
    if (is_file) {
      const int fresh = ::open(written_to_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fresh < 0)
        return cannot("written", written_to_);
      ::close(fresh);
    }
    file_.open(written_to_, std::ios::binary);
    return file_ ? result<void>() : cannot("written", written_to_);
  }
  std::ostream& out() { return name_.empty() ? std::cout : static_cast<std::ostream&>(file_); }
  /// What was written gets its name, or is thrown away; false if that wasn't possible.
  bool finish(bool whole) {
    out().flush();
    const bool good = out().good();
    if (name_.empty() || written_to_ == name_)
      return good;
    file_.close();
    std::error_code failed;
    if (whole && good)
      std::filesystem::rename(written_to_, name_, failed);
    else
      std::filesystem::remove(written_to_, failed);
    return good && !failed;
  }

 private:
  std::string name_;       ///< empty: the standard output
  std::string written_to_; ///< until it is whole
  std::ofstream file_;
};

int export_session(const common_flags& common, const std::string& session, const std::string& file) {
  const auto kept = open_archive(common, "default");
  if (!kept)
    return complain(kept.error());
  const auto row = find_session(*kept, session);
  if (!row)
    return complain(row.error());
  watch_interrupts(2);
  destination where;
  if (const auto opened = where.open(file); !opened)
    return complain(opened.error());
  const auto came = actors::export_log(*kept->journal, *row, [&](const std::string& lines) {
    where.out() << lines;
    return where.out().good() && interrupts() == 0;
  });
  const bool finished = where.finish(came.has_value());
  if (!came && interrupts() > 0)
    return complain({problem_code::cancelled, "the export was stopped; there is no file", {}});
  if (!came && came.error().code != problem_code::cancelled)
    return complain(came.error());
  if (!came || !finished)
    return complain(cannot("written", file.empty() ? "the standard output" : file));
  if (!file.empty() && file != "-")
    std::cerr << "Exported " << came->events << " events and " << came->blobs << " texts to " << file << "\n";
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
