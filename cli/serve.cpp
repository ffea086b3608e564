// `troupe serve`: the server, until it is told to leave.
#include "cli/commands.hpp"
#include "cli/exit_status.hpp"
#include "cli/listen_address.hpp"
#include "gateway/server.hpp"
#include "telemetry/log.hpp"

#include <csignal>
#include <filesystem>
#include <thread>

namespace troupe::cli {

namespace {

gateway::server_settings settings_of(const config::server& given, const listen_address& where) {
  gateway::server_settings settings;
  settings.host = where.host;
  settings.port = where.port;
  settings.version = TROUPE_VERSION;
  settings.limits = {given.page_limit, given.page_limit_max, given.wait_ms, given.wait_ms_max,
      static_cast<std::size_t>(given.metadata_bytes_max), static_cast<std::size_t>(given.id_characters_max)};
  settings.http.url_bytes_max = static_cast<std::size_t>(given.url_bytes_max);
  settings.http.headers_bytes_max = static_cast<std::size_t>(given.header_bytes_max);
  settings.http.body_bytes_max = static_cast<std::size_t>(given.body_bytes_max);
  settings.http.json_depth_max = static_cast<int>(given.json_depth_max);
  settings.http.comment_interval = std::chrono::seconds(given.heartbeat_seconds);
  return settings;
}

// The signals are blocked before any thread is made, so that all inherit it and only `sigwait` gets them.
sigset_t leaving_signals() {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  return ends;
}

// Runs come to their end; who can't wait says so a second time, and the log keeps what there is.
void leave(gateway::server& server, std::chrono::seconds patience, const sigset_t& ends) {
  std::cerr << "leaving: runs have " << patience.count() << " s to come to their end; again: at once\n";
  std::thread([ends] {
    int signal = 0;
    sigwait(&ends, &signal);
    std::_Exit(work_failed);
  }).detach();
  if (!server.drain(patience))
    std::cerr << "some runs go on from the log when they are taken again\n";
}

int serve(const common_flags& flags, const std::string& listen) {
  const auto ends = leaving_signals();
  const auto configuration = load_configuration(flags);
  if (!configuration)
    return complain(configuration.error());
  const auto where = parse_listen_address(listen.empty() ? configuration->server.listen : listen);
  if (!where)
    return complain(where.error());
  const auto database = library::open_database(*configuration);
  if (!database)
    return complain(database.error());
  auto node = library::start_node(*configuration, *database, library::node_role::server);
  if (!node)
    return complain(node.error());
  auto server = gateway::server::start(**node, settings_of(configuration->server, *where));
  if (!server)
    return complain(server.error());
  if (configuration->providers.empty())
    std::cerr
        << "No provider is configured: sessions use the built-in gym, a small model for trying things out.\n";
  std::cerr << "tools work in " << std::filesystem::absolute(configuration->workspace.root).string() << "\n";
  std::cout << "listening on " << (*server)->base_url() << std::endl;
  int signal = 0;
  sigwait(&ends, &signal);
  leave(**server, std::chrono::seconds(configuration->server.drain_seconds), ends);
  node->reset(); // before the server goes: its actors may still be answering
  return done;
}

} // namespace

void add_serve(CLI::App& app, const common_flags& flags, int& status) {
  auto listen = std::make_shared<std::string>();
  auto* const command =
      app.add_subcommand("serve", "The server: sessions over HTTP, with live event streams");
  command->add_option("--listen", *listen, "HOST:PORT; port 0: any that is free (default: 127.0.0.1:8420)");
  command->footer(
      "Examples:\n"
      "  troupe serve\n"
      "  curl -s localhost:8420/v1/sessions -H 'content-type: application/json' -d '{\"id\":\"demo\"}'\n"
      "  curl -s localhost:8420/v1/sessions/demo/messages -H 'content-type: application/json' \\\n"
      "    -d '{\"delivery\":\"send\",\"content\":\"Hello\"}'\n"
      "  curl -N localhost:8420/v1/sessions/demo/events -H 'accept: text/event-stream'\n"
      "SIGTERM lets runs come to their end first.");
  command->callback([&, listen] { status = serve(flags, *listen); });
}

} // namespace troupe::cli
