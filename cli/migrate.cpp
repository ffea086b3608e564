// `troupe migrate`: brings the database's schema up to date.
#include "cli/commands.hpp"
#include "cli/exit_status.hpp"
#include "persistence/migrator.hpp"

namespace troupe::cli {

namespace {

int migrate(const common_flags& flags, bool only_check) {
  const auto configuration = load_configuration(flags);
  if (!configuration)
    return complain(configuration.error());
  const auto database = library::open_database_as_it_is(*configuration);
  if (!database)
    return complain(database.error());
  persistence::migrator migrator(database->url);
  const auto names = only_check ? migrator.check() : migrator.up();
  if (!names)
    return complain(names.error());
  if (flags.json) {
    json::writer out;
    out.begin_object().key(only_check ? "missing" : "applied").begin_array();
    for (const auto& name : *names)
      out.string(name);
    out.end_array().end_object();
    std::cout << out.text() << "\n";
  } else {
    for (const auto& name : *names)
      std::cout << (only_check ? "missing " : "applied ") << name << "\n";
    if (names->empty())
      std::cout << "the schema is up to date\n";
  }
  return only_check && !names->empty() ? work_failed : done;
}

} // namespace

void add_migrate(CLI::App& app, const common_flags& flags, int& status) {
  auto check = std::make_shared<bool>(false);
  auto* const command = app.add_subcommand("migrate", "Brings the database schema up to date");
  command->add_flag("--check", *check, "Only says what is missing; ends with 1 if anything is");
  command->footer(
      "Examples:\n  troupe migrate --database postgresql://localhost/troupe\n  troupe migrate --check");
  command->callback([&, check] { status = migrate(flags, *check); });
}

} // namespace troupe::cli
