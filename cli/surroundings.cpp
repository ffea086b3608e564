// From a command's flags to its configuration, and to the sessions that are kept.
#include "cli/surroundings.hpp"

#include "messages/text.hpp"

namespace troupe::cli {

result<config::configuration> load_configuration(const common_flags& flags) {
  auto configuration = library::load_configuration(flags.config_file, config::process_environment());
  if (!configuration)
    return configuration;
  if (!flags.data_dir.empty()) {
    configuration->data_dir = flags.data_dir;
    configuration->database_url.clear();
  }
  if (!flags.database.empty())
    configuration->database_url = flags.database;
  return configuration;
}

result<archive> open_archive(const common_flags& flags, const std::string& tenant) {
  const auto configuration = load_configuration(flags);
  if (!configuration)
    return configuration.error();
  auto opened = library::open_database(*configuration);
  if (!opened)
    return opened.error();
  auto journal = library::open_journal(*opened);
  if (!journal)
    return journal.error();
  const auto number = (*journal)->tenant(tenant);
  if (!number)
    return number.error();
  archive out;
  out.database = std::move(*opened);
  out.journal = std::move(*journal);
  out.tenant = *number;
  return out;
}

result<persistence::session_row> find_session(const archive& kept, const std::string& id) {
  auto row = kept.journal->find(kept.tenant, id);
  if ((row && row->begun()) || (!row && row.error().code != problem_code::not_found))
    return row;
  std::vector<std::string> ids;
  if (const auto rows = kept.journal->list(kept.tenant, "", 1000))
    for (const auto& one : *rows)
      ids.push_back(one.id);
  const std::vector<std::string_view> names(ids.begin(), ids.end());
  const std::string near = nearest_name(id, names.data(), names.data() + names.size());
  return problem{problem_code::not_found,
      "there is no session `" + id + "`"
          + (near.empty() ? "; `troupe sessions` lists those there are" : "; did you mean `" + near + "`?"),
      {}};
}

} // namespace troupe::cli
