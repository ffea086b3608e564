// `troupe gym`: the scripted model server.
#include "cli/commands.hpp"
#include "cli/exit_status.hpp"
#include "cli/listen_address.hpp"
#include "providers/gym/server.hpp"

#include <csignal>
#include <fstream>
#include <sstream>

namespace troupe::cli {

namespace {

struct gym_flags {
  std::string listen = "127.0.0.1:8421";
  std::string script;
};

result<providers::gym::server_settings> settings_of(const gym_flags& flags) {
  providers::gym::server_settings settings;
  const auto where = parse_listen_address(flags.listen);
  if (!where)
    return where.error();
  settings.host = where->host;
  settings.port = where->port;
  if (flags.script.empty())
    return settings;
  std::ifstream file(flags.script, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file)
    return problem{problem_code::invalid_input, "the script `" + flags.script + "` can't be read", {}};
  auto script = providers::gym::script::parse(text.str());
  if (!script)
    return problem{problem_code::invalid_input, flags.script + ": " + script.error().detail, {}};
  settings.rules = std::move(*script);
  return settings;
}

int serve(const gym_flags& flags) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr); // before the server's thread, which inherits it
  auto settings = settings_of(flags);
  if (!settings)
    return complain(settings.error());
  auto server = providers::gym::server::start(std::move(*settings));
  if (!server)
    return complain(server.error());
  std::cout << "gym listening on " << (*server)->base_url() << std::endl;
  int signal = 0;
  sigwait(&ends, &signal);
  (*server)->stop();
  return done;
}

} // namespace

void add_gym(CLI::App& app, int& status) {
  auto flags = std::make_shared<gym_flags>();
  auto* const gym = app.add_subcommand(
      "gym", "A model server that follows a script, or answers as a small model without one");
  gym->add_option("--listen", flags->listen, "HOST:PORT; port 0: any that is free")->capture_default_str();
  gym->add_option("--script", flags->script, "Rules in JSON Lines (docs/gym.md)");
  gym->footer("Example:\n  troupe gym --listen 127.0.0.1:0 --script rules.jsonl");
  gym->callback([=, &status] { status = serve(*flags); });
}

} // namespace troupe::cli
