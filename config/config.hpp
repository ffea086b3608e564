// The configuration: one TOML file, the environment over it, flags over both. Only `main` reads it.
#pragma once

#include "messages/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace troupe::config {

/// `[providers.NAME]`. Of the four ways to give a key at most one is used.
struct provider {
  std::string type;                       ///< compatibility family: claude, codex, grok, bedrock, gemini, gym
  std::string api = "anthropic-messages"; ///< the wire format
  std::string base_url;
  std::string api_key;
  std::string api_key_env;
  std::string api_key_file;
  std::string default_model;
  std::int64_t max_retries = 2;
  std::int64_t retry_base_ms = 250;
  std::int64_t first_byte_timeout_ms = 60'000;
  std::int64_t idle_timeout_ms = 120'000;
  std::int64_t max_concurrent = 64;
};

struct configuration {
  std::string database_url; ///< empty: the private cluster in `data_dir`
  std::string data_dir;
  std::int64_t writers = 1;
  std::string node_name;
  std::int64_t lease_seconds = 15;
  std::string workspace_root = ".";
  std::map<std::string, provider> providers;
  std::string file; ///< what it was read from, empty if there was none
};

/// Reads the file (`path`; if empty `$TROUPE_CONFIG`, else `troupe.toml` if it is there) and lays
/// `TROUPE__SECTION__KEY` of `environment` over it, and `DATABASE_URL`. Errors: `invalid_input` with
/// the place, the key and the nearest one that is known.
result<configuration> load(const std::string& path, const std::map<std::string, std::string>& environment);

/// The variables of this process.
std::map<std::string, std::string> process_environment();

} // namespace troupe::config
