// Every key by one table: its name, its type, where it goes.
#include "config/config.hpp"

#include "messages/text.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <variant>
#include <vector>

#include <toml++/toml.h>

extern char** environ;

namespace troupe::config {

namespace {

using target = std::variant<std::string*, std::int64_t*>;
using keys = std::vector<std::pair<std::string_view, target>>;

problem bad(const std::string& where, std::string why) {
  return {problem_code::invalid_input, where + ": " + std::move(why), {}};
}

keys database_keys(configuration& c) {
  return {{"url", &c.database_url}, {"data_dir", &c.data_dir}, {"writers", &c.writers}};
}
keys node_keys(configuration& c) { return {{"name", &c.node_name}, {"lease_seconds", &c.lease_seconds}}; }
keys workspace_keys(configuration& c) { return {{"root", &c.workspace_root}}; }
keys provider_keys(provider& p) {
  return {{"type", &p.type}, {"api", &p.api}, {"base_url", &p.base_url}, {"api_key", &p.api_key},
      {"api_key_env", &p.api_key_env}, {"api_key_file", &p.api_key_file}, {"default_model", &p.default_model},
      {"max_retries", &p.max_retries}, {"retry_base_ms", &p.retry_base_ms},
      {"first_byte_timeout_ms", &p.first_byte_timeout_ms}, {"idle_timeout_ms", &p.idle_timeout_ms},
      {"max_concurrent", &p.max_concurrent}};
}

std::string unknown(const std::string& name, const std::vector<std::string_view>& known) {
  const std::string near = nearest_name(name, known.data(), known.data() + known.size());
  return "unknown key `" + name + "`" + (near.empty() ? "" : "; did you mean `" + near + "`?");
}

// A value from the environment is text, whatever the key wants.
std::optional<std::string> set(const target& to, const toml::node& value) {
  if (auto* const* const text = std::get_if<std::string*>(&to)) {
    const auto given = value.value<std::string>();
    if (!given)
      return "expected a string";
    **text = *given;
    return std::nullopt;
  }
  auto given = value.value_exact<std::int64_t>();
  if (const auto text = value.value_exact<std::string>(); !given && text) {
    char* end = nullptr;
    const std::int64_t parsed = std::strtoll(text->c_str(), &end, 10);
    if (!text->empty() && *end == '\0')
      given = parsed;
  }
  if (!given || *given < 0)
    return "expected a whole number, 0 or more";
  *std::get<std::int64_t*>(to) = *given;
  return std::nullopt;
}

class reader {
 public:
  explicit reader(std::string file) : file_(std::move(file)) {}

  std::optional<problem> section(const toml::table& table, const std::string& name, const keys& known) {
    for (const auto& [key, value] : table) {
      const std::string own(key.str());
      std::vector<std::string_view> names;
      const target* to = nullptr;
      for (const auto& [known_name, known_target] : known) {
        names.push_back(known_name);
        if (known_name == own)
          to = &known_target;
      }
      if (!to)
        return bad(place(value), unknown(own, names) + " in [" + name + "]");
      if (const auto wrong = set(*to, value))
        return bad(place(value), "`" + name + "." + own + "`: " + *wrong);
    }
    return std::nullopt;
  }

  std::optional<problem> all(const toml::table& root, configuration& out) {
    for (const auto& [key, value] : root) {
      const std::string name(key.str());
      const auto* const table = value.as_table();
      std::optional<problem> wrong;
      if (name != "database" && name != "node" && name != "providers" && name != "tools")
        wrong = bad(place(value), unknown(name, {"database", "node", "providers", "tools"}));
      else if (!table)
        wrong = bad(place(value), "`" + name + "` is a section: write it as [" + name + "]");
      else if (name == "database")
        wrong = section(*table, name, database_keys(out));
      else if (name == "node")
        wrong = section(*table, name, node_keys(out));
      else
        wrong = sub_sections(*table, name, out);
      if (wrong)
        return wrong;
    }
    return std::nullopt;
  }

 private:
  std::string place(const toml::node& node) const {
    const auto line = node.source().begin.line;
    return line == 0 ? "the environment" : file_ + ":" + std::to_string(line);
  }

  std::optional<problem> sub_sections(const toml::table& table, const std::string& name, configuration& out) {
    for (const auto& [key, value] : table) {
      const std::string own(key.str());
      const auto* const section_table = value.as_table();
      if (!section_table)
        return bad(
            place(value), "`" + name + "." + own + "` is a section: write it as [" + name + "." + own + "]");
      if (name == "tools" && own != "workspace")
        return bad(place(value), unknown(own, {"workspace"}) + " in [tools]");
      auto wrong = section(*section_table, name + "." + own,
          name == "tools" ? workspace_keys(out) : provider_keys(out.providers[own]));
      if (wrong)
        return wrong;
    }
    return std::nullopt;
  }

  std::string file_;
};

// TROUPE__PROVIDERS__GYM__BASE_URL becomes providers.gym.base_url.
std::optional<problem> lay_over(toml::table& root, const std::map<std::string, std::string>& environment) {
  static constexpr std::string_view prefix = "TROUPE__";
  for (const auto& [variable, value] : environment) {
    if (variable.rfind(prefix, 0) != 0)
      continue;
    std::vector<std::string> path{""};
    for (std::size_t i = prefix.size(); i < variable.size(); ++i) {
      if (variable.compare(i, 2, "__") == 0) {
        path.emplace_back();
        ++i;
      } else {
        path.back().push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(variable[i]))));
      }
    }
    toml::table* table = &root;
    for (std::size_t i = 0; i + 1 < path.size() && table; ++i)
      table = table->emplace<toml::table>(path[i]).first->second.as_table();
    if (!table || path.back().empty())
      return bad("the environment", "`" + variable + "` is no TROUPE__SECTION__KEY");
    table->insert_or_assign(path.back(), value);
  }
  return std::nullopt;
}

result<std::string> file_to_read(
    const std::string& path, const std::map<std::string, std::string>& environment) {
  std::string chosen = path;
  if (const auto named = environment.find("TROUPE_CONFIG"); chosen.empty() && named != environment.end())
    chosen = named->second;
  if (chosen.empty())
    return std::filesystem::exists("troupe.toml") ? std::string("troupe.toml") : std::string();
  if (!std::filesystem::exists(chosen))
    return bad(chosen, "there is no such configuration file");
  if (std::filesystem::is_directory(chosen))
    return bad(chosen, "is a folder, not a configuration file");
  return chosen;
}

} // namespace

result<configuration> load(const std::string& path, const std::map<std::string, std::string>& environment) {
  const auto file = file_to_read(path, environment);
  if (!file)
    return file.error();
  configuration out;
  out.file = *file;
  try {
    toml::table root;
    if (!file->empty())
      root = toml::parse_file(*file);
    if (auto wrong = lay_over(root, environment))
      return *wrong;
    if (auto wrong = reader(*file).all(root, out))
      return *wrong;
  } catch (const toml::parse_error& broken) {
    return bad(*file + ":" + std::to_string(broken.source().begin.line), std::string(broken.description()));
  }
  if (const auto url = environment.find("DATABASE_URL");
      url != environment.end() && !environment.contains("TROUPE__DATABASE__URL"))
    out.database_url = url->second;
  if (out.writers < 1 || out.writers > 64)
    return bad("database.writers", "`" + std::to_string(out.writers) + "` isn't between 1 and 64");
  if (out.lease_seconds < 1 || out.lease_seconds > 3600)
    return bad("node.lease_seconds", "`" + std::to_string(out.lease_seconds) + "` isn't between 1 and 3600");
  return out;
}

std::map<std::string, std::string> process_environment() {
  std::map<std::string, std::string> out;
  for (char** variable = environ; variable && *variable; ++variable) {
    const std::string_view text(*variable);
    if (const auto equals = text.find('='); equals != std::string_view::npos)
      out.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return out;
}

} // namespace troupe::config
