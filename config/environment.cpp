// From variables to places in the table. Names in variables are in capitals, and signs are underscores.
#include "config/environment.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

extern char** environ;

namespace troupe::config {

namespace {

constexpr std::string_view prefix = "TROUPE__";
constexpr std::uintmax_t secret_bytes_max = 65'536;

problem bad(const std::string& variable, std::string why) {
  return {problem_code::invalid_input, variable + ": " + std::move(why), {}};
}

char plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) ? static_cast<char>(std::tolower(c)) : '_';
}

/// TROUPE__PROVIDERS__GYM__BASE_URL → providers, gym, base_url.
std::vector<std::string> path_of(const std::string& variable) {
  std::vector<std::string> path{""};
  for (std::size_t i = prefix.size(); i < variable.size(); ++i) {
    if (variable.compare(i, 2, "__") == 0) {
      path.emplace_back();
      ++i;
    } else {
      path.back().push_back(plain(variable[i]));
    }
  }
  return path;
}

/// A name that the file has, as `my-proxy` for `my_proxy`, or the name itself.
std::string as_written(const toml::table& table, const std::string& name) {
  for (const auto& [key, value] : table) {
    std::string own(key.str());
    std::transform(own.begin(), own.end(), own.begin(), plain);
    if (own == name)
      return std::string(key.str());
  }
  return name;
}

enum class meaning { unknown, plain, secret };

/// What a path means.
meaning meaning_of(const section& known, const std::vector<std::string>& path) {
  section now = known;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const auto next = std::find_if(now.sections.begin(), now.sections.end(),
        [&](const section& one) { return last_name(one) == path[i]; });
    if (next == now.sections.end() && !now.named)
      return meaning::unknown;
    now = next != now.sections.end() ? section(*next) : now.named(path[i]);
  }
  for (const auto& one : now.keys)
    if (one.name == path.back())
      return one.secret ? meaning::secret : meaning::plain;
  return meaning::unknown;
}

result<std::string> content_of(const std::string& variable, const std::string& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (!error && size > secret_bytes_max)
    return bad(variable, "`" + file + "` is longer than " + std::to_string(secret_bytes_max) + " bytes");
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (error || !in)
    return bad(variable, "the file `" + file + "` can't be read");
  std::string out = text.str();
  while (out.ends_with('\n') || out.ends_with('\r'))
    out.pop_back();
  return out;
}

std::optional<problem> lay_one(toml::table& root, const std::string& variable,
    const std::vector<std::string>& path, const std::string& value) {
  toml::table* table = &root;
  for (std::size_t i = 0; i + 1 < path.size() && table; ++i)
    table = table->emplace<toml::table>(as_written(*table, path[i])).first->second.as_table();
  if (!table || path.size() < 2 || path.back().empty())
    return bad(variable, "isn't " + std::string(prefix) + "SECTION__KEY");
  table->insert_or_assign(as_written(*table, path.back()), value);
  return std::nullopt;
}

} // namespace

std::optional<problem> lay_over(toml::table& root, const section& known,
    const std::map<std::string, std::string>& environment, std::vector<std::string>& secret_files) {
  if (const auto url = environment.find("DATABASE_URL"); url != environment.end() && !url->second.empty())
    if (auto wrong = lay_one(root, "DATABASE_URL", {"database", "url"}, url->second))
      return wrong;
  for (const auto& [variable, value] : environment) {
    if (!variable.starts_with(prefix))
      continue;
    auto path = path_of(variable);
    result<std::string> text = value;
    if (path.back().ends_with("_file") && meaning_of(known, path) == meaning::unknown) {
      auto secret = path;
      secret.back().resize(secret.back().size() - std::string_view("_file").size());
      if (meaning_of(known, secret) == meaning::secret) {
        const std::string direct = variable.substr(0, variable.size() - std::string_view("_FILE").size());
        if (environment.contains(direct))
          return bad(variable, "`" + direct + "` is set too; keep one of them");
        path = secret;
        text = content_of(variable, value);
        secret_files.push_back(value);
      }
    }
    if (!text)
      return text.error();
    if (auto wrong = lay_one(root, variable, path, *text))
      return wrong;
  }
  return std::nullopt;
}

std::string variable_of(const std::string& path) {
  std::string out(prefix);
  for (const char c : path)
    out += c == '.' ? "__"
                    : std::string(1, static_cast<char>(std::toupper(static_cast<unsigned char>(plain(c)))));
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
