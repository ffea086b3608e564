// `troupe sessions`: lists sessions with what a resume would do.
#include "cli/commands.hpp"
#include "cli/exit_status.hpp"

#include <iomanip>

namespace troupe::cli {

namespace {

constexpr std::size_t listed_max = 1000;

std::size_t count_of(const json::value& views, std::string_view list) {
  const auto* const found = views.find(list);
  return found ? found->items().size() : 0;
}

std::string counted(std::size_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string what_a_resume_does(const persistence::session_row& row) {
  if (row.view.status == "closed")
    return "nothing: it is closed";
  if (row.view.status == "failed")
    return "tries anew: it was parked after dying again and again";
  const auto views = json::parse(row.view.views);
  const std::size_t asks = views ? count_of(*views, "permissions") : 0;
  const std::size_t uncertain = views ? count_of(*views, "uncertain") : 0;
  if (row.view.status == "waiting") {
    std::string waits = "waits for ";
    if (asks > 0)
      waits += counted(asks, "permission");
    if (uncertain > 0)
      waits += std::string(asks > 0 ? " and " : "") + counted(uncertain, "verdict");
    return waits + (asks + uncertain == 0 ? "a client's result" : "");
  }
  if (row.view.status == "running")
    return views && count_of(*views, "running") > 0
        ? "judges " + counted(count_of(*views, "running"), "call") + " that may be cut off, and goes on"
        : "goes on with what was cut off";
  if (views && views->find("owed"))
    return "answers what is owed";
  return row.view.needs_work ? "answers what is queued" : "nothing: it is idle";
}

void print_json(const persistence::session_row& row) {
  json::writer out;
  out.begin_object().field("id", row.id).field("status", row.view.status).key("head_seq").number(row.head);
  if (row.node)
    out.field("node", *row.node);
  out.field("updated_at", to_string(row.updated_at)).field("resume", what_a_resume_does(row)).end_object();
  std::cout << out.text() << "\n";
}

int list(const common_flags& common, const std::string& tenant_name, const std::string& wanted) {
  const auto kept = open_archive(common, tenant_name);
  if (!kept)
    return complain(kept.error());
  const auto rows = kept->journal->list(kept->tenant, wanted, listed_max);
  if (!rows)
    return complain(rows.error());
  for (const auto& row : *rows) {
    if (common.json)
      print_json(row);
    else
      std::cout << std::left << std::setw(40) << row.id << std::setw(9) << row.view.status << std::setw(8)
                << row.head << to_string(row.updated_at).substr(0, 19) << "Z  " << what_a_resume_does(row)
                << "\n";
  }
  if (rows->empty() && !common.json)
    std::cerr << "no sessions" << (wanted.empty() ? "" : " that are " + wanted)
              << "; `troupe run PROMPT` makes one\n";
  if (rows->size() == listed_max)
    std::cerr << "only the newest " << listed_max << " are listed\n";
  return done;
}

} // namespace

void add_sessions(CLI::App& app, const common_flags& common, int& status) {
  auto tenant = std::make_shared<std::string>("default");
  auto wanted = std::make_shared<std::string>();
  auto* const command = app.add_subcommand("sessions", "Lists sessions with what a resume would do");
  command->add_option("--tenant", *tenant, "Of this tenant")->check(CLI::IsMember({"default"}));
  command->add_option("--status", *wanted, "Only these")
      ->check(CLI::IsMember({"idle", "running", "waiting", "failed", "closed"}));
  command->footer("Examples:\n  troupe sessions\n  troupe sessions --status waiting --json");
  command->callback([&, tenant, wanted] { status = list(common, *tenant, *wanted); });
}

} // namespace troupe::cli
