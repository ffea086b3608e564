// The configuration: one TOML file, the environment over it, flags over both. Only `main` reads it.
#pragma once

#include "messages/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe::config {

/// `[server]`: where it listens, and its bounds. At a bound a request is refused and the bound named.
struct server {
  std::string listen = "127.0.0.1:8420"; ///< HOST:PORT
  std::string metrics_listen;            ///< empty: where the API is
  std::int64_t drain_seconds = 30;
  std::int64_t body_bytes_max = 32 * 1024 * 1024;
  std::int64_t url_bytes_max = 8 * 1024;
  std::int64_t header_bytes_max = 32 * 1024;
  std::int64_t json_depth_max = 64;
  std::int64_t metadata_bytes_max = 16 * 1024;
  std::int64_t id_characters_max = 128;
  std::int64_t page_limit = 100; ///< where a request names none
  std::int64_t page_limit_max = 1'000;
  std::int64_t wait_ms = 30'000; ///< where a request names none
  std::int64_t wait_ms_max = 60'000;
  std::int64_t heartbeat_seconds = 15;
  std::int64_t reader_bytes_max = 4 * 1024 * 1024;
};

/// `[sessions]`: the bounds of every session.
struct sessions {
  std::int64_t queued_messages_max = 1'000;
  std::int64_t tool_output_bytes_max = 256 * 1024;
  std::int64_t client_tool_timeout_ms = 600'000;
};

/// `[providers.NAME]`. Of the ways to give a key at most one is used.
struct provider {
  std::string type;                       ///< compatibility family: claude, codex, grok, bedrock, gemini, gym
  std::string api = "anthropic-messages"; ///< the wire format
  std::string base_url;
  std::string api_key;
  std::string api_key_env;
  std::string api_key_file;
  std::vector<std::string> api_key_command;
  std::int64_t api_key_command_seconds = 300; ///< how long its key is kept
  std::string default_model;
  std::vector<std::string> models;  ///< empty: any name
  std::vector<std::string> efforts; ///< that its models take; empty: all
  std::string thinking = "budget";  ///< how a Claude model is told to think: by tokens, or `adaptive`
  std::int64_t max_retries = 2;
  std::int64_t retry_base_ms = 250;
  std::int64_t retry_after_ms_max = 60'000;
  std::int64_t first_byte_timeout_ms = 60'000;
  std::int64_t idle_timeout_ms = 120'000;
  std::int64_t frame_bytes_max = 16 * 1024 * 1024;
  std::int64_t max_concurrent = 64;
};

/// `[tools.workspace]`.
struct workspace {
  std::string root = ".";
  std::string sandbox = "auto"; ///< none, required
  bool network = false;         ///< whether what runs in the sandbox reaches the network
  std::vector<std::string> readable;
  std::int64_t shell_timeout_ms = 120'000;
  std::int64_t shell_grace_ms = 2'000;
};

/// `[tools.mcp.NAME]`: a server of tools, by its command or its address.
struct mcp_server {
  std::vector<std::string> command;
  std::string url;
};

/// `[limits]`, and `[tenants.NAME.limits]`. 0: no limit.
struct limits {
  std::int64_t max_sessions = 100'000;
  std::int64_t max_running = 256;
  std::int64_t requests_per_minute = 0;
  std::int64_t tokens_per_minute = 0;
  double budget_usd_per_day = 0;
};

/// `[modes.NAME]`: the tools that a model sees in this mode.
struct mode {
  std::vector<std::string> tools;
};

/// `[node]` tls: files in PEM.
struct tls {
  std::string cert;
  std::string key;
  std::string ca;
};

struct configuration {
  config::server server;
  std::string database_url; ///< empty: the private cluster in `data_dir`
  std::string data_dir;
  std::int64_t writers = 1;
  std::string node_name;
  std::string node_listen; ///< empty: this node stands alone
  config::tls node_tls;
  std::int64_t lease_seconds = 15;
  config::sessions sessions;
  std::map<std::string, provider> providers;
  config::workspace workspace;
  std::map<std::string, mcp_server> mcp;
  std::map<std::string, mode> modes;
  config::limits limits;
  std::map<std::string, config::limits> tenant_limits; ///< whole: what a tenant doesn't say is `limits`
  std::string file;                                    ///< what it was read from, empty if there was none
  std::vector<std::string> secret_files;               ///< files that hold secrets, `file` among them
  std::vector<std::string> without_effect;             ///< keys that were given and that nothing obeys yet
};

/// Reads the file (`path`; if empty `$TROUPE_CONFIG`, else `troupe.toml` if it is there) and lays
/// `DATABASE_URL` and `TROUPE__SECTION__KEY` of `environment` over it. Errors: `invalid_input` with the
/// place, the key and the nearest one that is known; `unsupported` for what this version doesn't have.
result<configuration> load(const std::string& path, const std::map<std::string, std::string>& environment);

/// The variables of this process.
std::map<std::string, std::string> process_environment();

} // namespace troupe::config
