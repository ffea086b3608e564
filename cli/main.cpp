// The command `troupe`: a table of contents.
#include "cli/commands.hpp"
#include "cli/exit_status.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <csignal>

namespace {

int run_command(int count, char** words) {
  using namespace troupe::cli;
  CLI::App app{"Durable LLM agent sessions: nothing acknowledged is lost, nothing is done twice, everything "
               "can be replayed."};
  app.name("troupe");
  app.set_version_flag("--version", TROUPE_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  common_flags flags;
  app.add_option("--config", flags.config_file,
      "Configuration file (default: $TROUPE_CONFIG, else troupe.toml if it is there)");
  app.add_option("--database", flags.database,
      "A PostgreSQL server, as postgresql://… (default: $DATABASE_URL, else a private cluster)");
  app.add_option("--data-dir", flags.data_dir,
      "Where the private cluster is (default: $XDG_DATA_HOME/troupe, else ~/.local/share/troupe)");
  app.add_flag("--json", flags.json, "Results as JSON");
  app.footer("Examples:\n"
             "  troupe run \"What is the capital of Iceland?\"       # on the built-in gym, if nothing is "
             "configured\n"
             "  troupe run --session demo --tools workspace \"Read notes.txt\"\n"
             "  troupe chat --session demo\n"
             "  troupe sessions\n"
             "  troupe doctor\n"
             "`troupe COMMAND --help` says more. Exit status: 0 done, 1 the work failed, 2 wrong usage or\n"
             "configuration, 3 the database or a provider can't be reached.");
  int status = done;
  add_run(app, flags, status);
  add_chat(app, flags, status);
  add_serve(app, flags, status);
  add_show(app, flags, status);
  add_replay(app, flags, status);
  add_fork(app, flags, status);
  add_archive(app, flags, status);
  add_erase(app, flags, status);
  add_export(app, flags, status);
  add_import(app, flags, status);
  add_sessions(app, flags, status);
  add_gym(app, status);
  add_migrate(app, flags, status);
  add_doctor(app, flags, status);
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong) == 0 ? done : wrong_usage;
  }
  return status;
}

} // namespace

int main(int count, char** words) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run_command(count, words);
  } catch (const std::exception& fault) {
    std::cerr << "troupe: a fault of its own: " << fault.what() << "\n";
    return troupe::cli::work_failed;
  }
}
