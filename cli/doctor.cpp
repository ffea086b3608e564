// `troupe doctor`: says what works and what doesn't.
#include "cli/commands.hpp"
#include "cli/exit_status.hpp"
#include "cli/session_findings.hpp"
#include "messages/text.hpp"
#include "persistence/migrator.hpp"
#include "providers/credentials.hpp"

namespace troupe::cli {

namespace {

struct doctor_flags {
  bool sessions = false;
  bool repair = false;
};

class examination {
 public:
  explicit examination(const config::configuration& configuration) : configuration_(configuration) {}

  int examine() {
    keys();
    database();
    providers();
    sandbox();
    modes();
    return status_;
  }
  const std::vector<finding>& findings() const { return findings_; }

  int examine_sessions(const common_flags& common, bool repair) {
    auto found = cli::examine_sessions(common, repair);
    if (!found)
      fault("sessions", found.error());
    else
      for (auto& one : *found) {
        status_ = one.good ? status_ : std::max<int>(status_, work_failed);
        findings_.push_back(std::move(one));
      }
    return status_;
  }

 private:
  void note(std::string what, std::string detail) {
    findings_.push_back({std::move(what), true, std::move(detail)});
  }
  void fault(std::string what, const problem& why) {
    findings_.push_back({std::move(what), false, why.detail});
    status_ = std::max(status_, static_cast<int>(status_of(why)));
  }

  void keys() {
    for (const auto& key : configuration_.without_effect)
      note("key " + key, "is read and checked, and has no effect yet");
  }

  void sandbox() {
    const auto workspace = library::workspace_settings_of(configuration_);
    const auto found = tools::examine_workspace(workspace);
    if (!found)
      return fault("workspace", found.error());
    note("workspace", configuration_.workspace.root);
    note("sandbox",
        found->words
            + (found->works ? ""
                    : workspace.sandbox.mode == tools::sandbox_mode::none
                    ? ": commands run as the user that runs troupe"
                    : ": commands run without a sandbox"));
  }

  void database() {
    const auto opened = library::open_database_as_it_is(configuration_);
    if (!opened)
      return fault("database", opened.error());
    persistence::migrator migrator(opened->url);
    const auto missing = opened->cluster ? migrator.up() : migrator.check();
    if (!missing)
      return fault("database", missing.error());
    note("database",
        opened->cluster ? "private cluster in " + configuration_.data_dir
                        : "the server of the configuration answers");
    if (!opened->cluster && !missing->empty())
      fault("schema",
          {problem_code::conflict,
              std::to_string(missing->size()) + " migration(s) are missing; run `troupe migrate`", {}});
    else
      note("schema", "up to date");
    const auto roles = persistence::missing_roles(opened->url);
    if (!roles)
      return fault("roles", roles.error());
    if (roles->empty())
      note("roles", "troupe_writer and troupe_reader are in force");
    else
      fault("roles",
          {problem_code::conflict, "tenants can't be kept apart; an administrator runs:\n" + *roles, {}});
  }

  void providers() {
    const auto made = library::make_providers(configuration_);
    if (!made)
      return fault("providers", made.error());
    for (const auto& [id, provider] : configuration_.providers) {
      const auto key = providers::resolve(library::credentials_of(provider));
      if (!provider.api_key_command.empty() && !provider.api_key.empty())
        note("provider " + id + " api_key_command", "is passed over: there is an `api_key`");
      else if (!provider.api_key_command.empty() && key)
        note("provider " + id + " api_key_command",
            "`" + provider.api_key_command.front() + "` works: it printed a key");
      if (!key)
        fault("provider " + id, key.error());
      else if (const auto why = made->at(id).provider->examine())
        fault("provider " + id, *why);
      else
        note("provider " + id,
            library::base_url_of(provider) + " answers, asked " + (key->empty() ? "without" : "with")
                + " a key");
    }
    if (configuration_.providers.empty())
      note("providers", "none is configured: sessions use the built-in gym");
  }

  // A client may bring a tool under any name, so a name that nothing here has is no fault yet.
  void modes() {
    tools::tool_box box;
    if (configuration_.modes.empty()
        || !tools::add_workspace(box, library::workspace_settings_of(configuration_)))
      return;
    const auto here = box.everything();
    std::vector<std::string_view> names;
    for (const auto& tool : here.all())
      names.push_back(tool->spec.name);
    for (const auto& [name, mode] : configuration_.modes) {
      std::string doubts;
      for (const auto& tool : mode.tools)
        if (!here.find(tool))
          doubts += "; " + doubt(box, tool, nearest_name(tool, names.data(), names.data() + names.size()));
      note("mode " + name, "shows " + std::to_string(mode.tools.size()) + " tool(s)" + doubts);
    }
  }
  static std::string doubt(const tools::tool_box& box, const std::string& tool, const std::string& near) {
    if (box.toolsets().contains(tool))
      return "`" + tool + "` is a toolset, and a mode lists tools: no session can have it";
    return "`" + tool + "` is no tool of this node" + (near.empty() ? "" : " (did you mean `" + near + "`?)")
        + ": only sessions whose client brings it can have the mode";
  }

  const config::configuration& configuration_;
  std::vector<finding> findings_;
  int status_ = done;
};

int doctor(const common_flags& flags, const doctor_flags& wanted) {
  if (wanted.repair && !wanted.sessions)
    return complain({problem_code::invalid_input,
        "`--repair` goes with `--sessions`: `troupe doctor --sessions --repair`", {}});
  const auto configuration = load_configuration(flags);
  if (!configuration)
    return complain(configuration.error());
  examination patient(*configuration);
  const int status = wanted.sessions ? patient.examine_sessions(flags, wanted.repair) : patient.examine();
  if (flags.json) {
    json::writer out;
    out.begin_object().key("ok").boolean(status == done).key("findings").begin_array();
    for (const auto& f : patient.findings())
      out.begin_object()
          .field("what", f.what)
          .key("ok")
          .boolean(f.good)
          .field("detail", f.detail)
          .end_object();
    out.end_array().end_object();
    std::cout << out.text() << "\n";
    return status;
  }
  std::cout << "configuration: "
            << (configuration->file.empty() ? "none, every key has its default" : configuration->file)
            << "\n";
  for (const auto& f : patient.findings())
    std::cout << (f.good ? "ok      " : "FAILED  ") << for_terminal(f.what) << ": " << for_terminal(f.detail)
              << "\n";
  return status;
}

} // namespace

void add_doctor(CLI::App& app, const common_flags& flags, int& status) {
  auto wanted = std::make_shared<doctor_flags>();
  auto* const command = app.add_subcommand("doctor",
      "Says what works and what doesn't: configuration, database, schema, roles, providers, sandbox; or "
      "which sessions' logs are damaged");
  command->add_flag("--sessions", wanted->sessions,
      "Every session instead: gaps, decisions, digests, content, chains, calls without a receipt, runs that "
      "were cut off, and rows that belong to nothing");
  command->add_flag("--repair", wanted->repair,
      "With --sessions: ends what a dead node left open, by appending; damage to a log is only named");
  command->footer("Examples:\n  troupe doctor\n  troupe doctor --config troupe.toml --json\n"
                  "  troupe doctor --sessions\n  troupe doctor --sessions --repair");
  command->callback([&, wanted] { status = doctor(flags, *wanted); });
}

} // namespace troupe::cli
