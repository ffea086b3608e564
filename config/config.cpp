// From the file and the environment to the configuration, and what keys say together.
#include "config/config.hpp"

#include "config/environment.hpp"
#include "config/keys.hpp"
#include "config/reading.hpp"

#include <filesystem>

namespace troupe::config {

namespace {

constexpr std::uintmax_t file_bytes_max = 1'048'576;

problem bad(const std::string& where, std::string why) {
  return {problem_code::invalid_input, where + ": " + std::move(why), {}};
}

problem not_there_yet(const std::string& what, const std::string& instead) {
  return {problem_code::unsupported, what + " isn't supported by this version; " + instead, {}};
}

result<std::string> file_to_read(
    const std::string& path, const std::map<std::string, std::string>& environment) {
  std::string chosen = path;
  if (const auto named = environment.find("TROUPE_CONFIG"); chosen.empty() && named != environment.end())
    chosen = named->second;
  std::error_code error;
  if (chosen.empty())
    return std::filesystem::exists("troupe.toml", error) ? std::string("troupe.toml") : std::string();
  if (!std::filesystem::exists(chosen, error))
    return bad(chosen, "there is no such configuration file");
  if (std::filesystem::is_directory(chosen, error))
    return bad(chosen, "is a folder, not a configuration file");
  if (std::filesystem::file_size(chosen, error) > file_bytes_max && !error)
    return bad(chosen, "is longer than " + std::to_string(file_bytes_max) + " bytes");
  return chosen;
}

/// What no key can say alone.
std::optional<problem> check(const configuration& c) {
  const auto& server = c.server;
  if (server.page_limit > server.page_limit_max)
    return bad("server.page_limit",
        "`" + std::to_string(server.page_limit) + "` is more than page_limit_max, `"
            + std::to_string(server.page_limit_max) + "`");
  if (server.wait_ms > server.wait_ms_max)
    return bad("server.wait_ms",
        "`" + std::to_string(server.wait_ms) + "` is more than wait_ms_max, `"
            + std::to_string(server.wait_ms_max) + "`");
  if (c.node_tls.cert.empty() != c.node_tls.key.empty())
    return bad("node.tls", "`cert` and `key` go together; give both or none");
  if (!c.node_listen.empty())
    return not_there_yet(
        "`node.listen`", "leave it empty: a node stands alone, beside others on one database");
  for (const auto& [name, server_of_tools] : c.mcp) {
    if (server_of_tools.command.empty() == server_of_tools.url.empty())
      return bad("tools.mcp." + name, "wants one of `command` and `url`");
    return not_there_yet("[tools.mcp." + name + "]", "take it out: tools of MCP servers can't be used yet");
  }
  for (const auto& [name, provider] : c.providers)
    if (!provider.api_key_command.empty() && provider.api_key_command.front().empty())
      return bad("providers." + name + ".api_key_command", "its first word is the program; it is empty");
  return std::nullopt;
}

void collect_secret_files(configuration& c) {
  if (!c.file.empty())
    c.secret_files.push_back(c.file);
  for (const auto& [name, provider] : c.providers)
    if (!provider.api_key_file.empty())
      c.secret_files.push_back(provider.api_key_file);
  if (!c.node_tls.key.empty())
    c.secret_files.push_back(c.node_tls.key);
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
    configuration scratch; // for a look at what there is
    if (auto wrong = lay_over(root, sections_of(scratch), environment, out.secret_files))
      return *wrong;
    if (auto wrong = read(root, sections_of(out), *file, out.without_effect))
      return *wrong;
  } catch (const toml::parse_error& broken) {
    return bad(*file + ":" + std::to_string(broken.source().begin.line), std::string(broken.description()));
  }
  if (auto wrong = check(out))
    return *wrong;
  collect_secret_files(out);
  return out;
}

} // namespace troupe::config
