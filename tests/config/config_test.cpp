// The configuration: file, environment, and what is said about mistakes.
#include "config/config.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>

#include <unistd.h>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(configuration)

namespace {

class written_file {
 public:
  explicit written_file(const std::string& text)
      : path_(std::filesystem::temp_directory_path()
          / ("troupe-config-test-" + std::to_string(getpid()) + ".toml")) {
    std::ofstream(path_) << text;
  }
  ~written_file() { std::filesystem::remove(path_); }
  written_file(const written_file&) = delete;
  written_file& operator=(const written_file&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// What is said about the file, without its path.
std::string complaint(const std::string& text, const std::map<std::string, std::string>& environment = {}) {
  const written_file file(text);
  const auto loaded = config::load(file.path(), environment);
  BOOST_REQUIRE_MESSAGE(!loaded, "accepted: " << text);
  BOOST_TEST((loaded.error().code == problem_code::invalid_input));
  std::string said = loaded.error().detail;
  if (said.rfind(file.path(), 0) == 0)
    said = "FILE" + said.substr(file.path().size());
  return said;
}

} // namespace

BOOST_AUTO_TEST_CASE(without_a_file_every_key_has_its_default) {
  const written_file empty("");
  const auto loaded = config::load(empty.path(), {});
  BOOST_REQUIRE(loaded);
  BOOST_TEST(loaded->database_url.empty());
  BOOST_TEST(loaded->writers == 1);
  BOOST_TEST(loaded->workspace.root == ".");
  BOOST_TEST(loaded->providers.empty());
}

BOOST_AUTO_TEST_CASE(a_file_is_read) {
  const written_file file("[database]\nwriters = 2\n[providers.anthropic]\ntype = \"claude\"\nbase_url = "
                          "\"https://example.org\"\n"
                          "api_key_env = \"KEY\"\nmax_retries = 0\n[tools.workspace]\nroot = \"/srv\"\n");
  const auto loaded = config::load(file.path(), {});
  BOOST_REQUIRE_MESSAGE(loaded, loaded.error().detail);
  BOOST_TEST(loaded->writers == 2);
  BOOST_TEST(loaded->workspace.root == "/srv");
  BOOST_TEST(loaded->providers.at("anthropic").base_url == "https://example.org");
  BOOST_TEST(loaded->providers.at("anthropic").max_retries == 0);
}

BOOST_AUTO_TEST_CASE(the_environment_outranks_the_file) {
  const written_file file("[database]\nurl = \"postgresql://file\"\nwriters = 2\n[providers.gym]\nbase_url = "
                          "\"http://127.0.0.1:1\"\n");
  const auto loaded = config::load(file.path(),
      {{"TROUPE__DATABASE__URL", "postgresql://env"}, {"TROUPE__DATABASE__WRITERS", "3"},
          {"TROUPE__PROVIDERS__GYM__BASE_URL", "http://127.0.0.1:2"},
          {"DATABASE_URL", "postgresql://other"}});
  BOOST_REQUIRE_MESSAGE(loaded, loaded.error().detail);
  BOOST_TEST(loaded->database_url == "postgresql://env");
  BOOST_TEST(loaded->writers == 3);
  BOOST_TEST(loaded->providers.at("gym").base_url == "http://127.0.0.1:2");
}

BOOST_AUTO_TEST_CASE(database_url_outranks_the_file) {
  const written_file file("[database]\nurl = \"postgresql://file\"\n");
  BOOST_TEST(config::load(file.path(), {{"DATABASE_URL", "postgresql://other"}})->database_url
      == "postgresql://other");
}

BOOST_AUTO_TEST_CASE(a_mistake_is_named_with_its_place_and_the_nearest_key) {
  BOOST_TEST(complaint("[databse]\n") == "FILE:1: unknown key `databse`; did you mean `database`?");
  BOOST_TEST(complaint("[database]\n\nulr = \"x\"\n")
      == "FILE:3: unknown key `ulr`; did you mean `url`? in [database]");
  BOOST_TEST(complaint("[database]\nwriters = \"many\"\n")
      == "FILE:2: `database.writers`: expected a whole number, 0 or more");
  BOOST_TEST(complaint("[database]\nurl = 5\n") == "FILE:2: `database.url`: expected a string");
  BOOST_TEST(
      complaint("[database]\nwriters = 0\n") == "FILE:2: `database.writers`: `0` isn't between 1 and 64");
  BOOST_TEST(complaint("database = 1\n") == "FILE:1: `database` is a section: write it as [database]");
  BOOST_TEST(complaint("[providers]\nanthropic = \"x\"\n")
      == "FILE:2: `providers.anthropic` is a section: write it as [providers.anthropic]");
  BOOST_TEST(complaint("[tools.worksapce]\n")
      == "FILE:1: unknown key `worksapce`; did you mean `workspace`? in [tools]");
  BOOST_TEST(complaint("", {{"TROUPE__DATABASE__ULR", "x"}})
      == "TROUPE__DATABASE__ULR: unknown key `ulr`; did you mean `url`? in [database]");
  BOOST_TEST(complaint("[database\n").rfind("FILE:1: ", 0) == 0U);
}

BOOST_AUTO_TEST_CASE(a_wrong_type_or_value_is_named_with_the_rule) {
  BOOST_TEST(complaint("[database]\nwriters = \"2\"\n")
      == "FILE:2: `database.writers`: expected a whole number, 0 or more");
  BOOST_TEST(complaint("[tools.workspace]\nnetwork = 1\n")
      == "FILE:2: `tools.workspace.network`: expected true or false");
  BOOST_TEST(complaint("[tools.workspace]\nreadable = \"/a\"\n")
      == "FILE:2: `tools.workspace.readable`: expected a list of strings");
  BOOST_TEST(complaint("[tools.workspace]\nreadable = [1]\n")
      == "FILE:2: `tools.workspace.readable`: expected a list of strings");
  BOOST_TEST(complaint("[limits]\nbudget_usd_per_day = nan\n")
      == "FILE:2: `limits.budget_usd_per_day`: expected a number, 0 or more");
  BOOST_TEST(complaint("[tools.workspace]\nsandbox = \"requird\"\n")
      == "FILE:2: `tools.workspace.sandbox`: \"requird\" isn't known; did you mean \"required\"?");
  BOOST_TEST(complaint("[tools.workspace]\nsandbox = \"xyzzy\"\n")
      == "FILE:2: `tools.workspace.sandbox`: \"xyzzy\" is none of auto, none, required");
  BOOST_TEST(complaint("[server]\nlisten = \"8420\"\n")
      == "FILE:2: `server.listen`: \"8420\" isn't HOST:PORT, as 127.0.0.1:8420 or [::1]:8420 (port 0: any "
         "that is "
         "free)");
  BOOST_TEST(
      complaint("[server]\nlisten = \"localhost:70000\"\n").find("isn't HOST:PORT") != std::string::npos);
  BOOST_TEST(complaint("[server]\nwait_ms = 90000\n")
      == "server.wait_ms: `90000` is more than wait_ms_max, `60000`");
  BOOST_TEST(complaint("[providers.\"a b\"]\n").find("is no name") != std::string::npos);
  BOOST_TEST(complaint("", {{"TROUPE__DATABASE__WRITERS", "99999999999999999999"}})
      == "TROUPE__DATABASE__WRITERS: `database.writers`: expected a whole number, 0 or more");
  BOOST_TEST(complaint("", {{"TROUPE__DATABASE", "x"}}) == "TROUPE__DATABASE: isn't TROUPE__SECTION__KEY");
}

BOOST_AUTO_TEST_CASE(what_isnt_supported_yet_is_refused_in_words) {
  const auto refusal = [](const std::string& text) {
    const written_file file(text);
    const auto loaded = config::load(file.path(), {});
    BOOST_REQUIRE(!loaded);
    BOOST_TEST((loaded.error().code == problem_code::unsupported));
    return loaded.error().detail;
  };
  BOOST_TEST(refusal("[tools.mcp.files]\ncommand = [\"npx\"]\n")
      == "[tools.mcp.files] isn't supported by this version; take it out: tools of MCP servers can't be used "
         "yet");
  BOOST_TEST(refusal("[node]\nlisten = \"0.0.0.0:1\"\n").find("`node.listen` isn't supported") == 0U);
  BOOST_TEST(complaint("[tools.mcp.files]\n") == "tools.mcp.files: wants one of `command` and `url`");
  BOOST_TEST(
      complaint("[tools.mcp.files]\nurl = \"ftp://x\"\n").find("begins with http://") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_command_that_prints_a_key_is_a_list_of_words) {
  const written_file file("[providers.a]\napi_key_command = [\"pass\", \"show\", \"a b\"]\n");
  const auto loaded = config::load(file.path(), {{"TROUPE__PROVIDERS__A__API_KEY_COMMAND_SECONDS", "0"}});
  BOOST_REQUIRE_MESSAGE(loaded, loaded.error().detail);
  BOOST_TEST((loaded->providers.at("a").api_key_command == std::vector<std::string>{"pass", "show", "a b"}));
  BOOST_TEST(loaded->providers.at("a").api_key_command_seconds == 0);
  BOOST_TEST(complaint("[providers.a]\napi_key_command = \"pass\"\n").find("expected a list of strings")
      != std::string::npos);
  BOOST_TEST(complaint("[providers.a]\napi_key_command = [\"\"]\n")
      == "providers.a.api_key_command: its first word is the program; it is empty");
}

BOOST_AUTO_TEST_CASE(modes_are_lists_of_tools_under_free_names) {
  const written_file file("[modes.review]\ntools = [\"read_file\"]\n[modes.talk]\n");
  const auto loaded = config::load(file.path(), {{"TROUPE__MODES__LOOK__TOOLS", R"(["a", "b"])"}});
  BOOST_REQUIRE_MESSAGE(loaded, loaded.error().detail);
  BOOST_TEST(loaded->modes.size() == 3U);
  BOOST_TEST((loaded->modes.at("look").tools == std::vector<std::string>{"a", "b"}));
  BOOST_TEST(loaded->modes.at("talk").tools.empty());
  BOOST_TEST(complaint("[modes.review]\ntool = []\n")
      == "FILE:2: unknown key `tool`; did you mean `tools`? in [modes.review]");
}

BOOST_AUTO_TEST_CASE(a_tenant_begins_with_the_limits_of_all_wherever_they_stand) {
  const written_file file("[tenants.acme.limits]\nmax_sessions = 5\n[limits]\nmax_running = 7\n");
  const auto loaded = config::load(file.path(), {{"TROUPE__LIMITS__TOKENS_PER_MINUTE", "9"}});
  BOOST_REQUIRE_MESSAGE(loaded, loaded.error().detail);
  const auto& acme = loaded->tenant_limits.at("acme");
  BOOST_TEST(acme.max_sessions == 5);
  BOOST_TEST(acme.max_running == 7);
  BOOST_TEST(acme.tokens_per_minute == 9);
  BOOST_TEST(loaded->limits.max_sessions == 100'000);
}

BOOST_AUTO_TEST_CASE(keys_that_nothing_obeys_yet_are_told) {
  const written_file file("[limits]\nmax_running = 7\n[server]\ndrain_seconds = 1\n");
  BOOST_TEST(
      (config::load(file.path(), {})->without_effect == std::vector<std::string>{"limits.max_running"}));
}

BOOST_AUTO_TEST_CASE(the_environment_gives_every_kind_of_value) {
  const written_file file("[providers.my-proxy]\nbase_url = \"http://127.0.0.1:1\"\n");
  const auto loaded = config::load(file.path(),
      {{"TROUPE__TOOLS__WORKSPACE__NETWORK", "true"},
          {"TROUPE__TOOLS__WORKSPACE__READABLE", "[\"/a\", \"/b\"]"},
          {"TROUPE__LIMITS__BUDGET_USD_PER_DAY", "2.5"}, {"TROUPE__NODE__TLS__CA", "/ca.pem"},
          {"TROUPE__PROVIDERS__MY_PROXY__MAX_RETRIES", "9"},
          {"TROUPE__TENANTS__ACME__LIMITS__MAX_RUNNING", "3"}});
  BOOST_REQUIRE_MESSAGE(loaded, loaded.error().detail);
  BOOST_TEST(loaded->workspace.network);
  BOOST_TEST((loaded->workspace.readable == std::vector<std::string>{"/a", "/b"}));
  BOOST_TEST(loaded->limits.budget_usd_per_day == 2.5);
  BOOST_TEST(loaded->node_tls.ca == "/ca.pem");
  BOOST_TEST(loaded->providers.size() == 1U);
  BOOST_TEST(loaded->providers.at("my-proxy").max_retries == 9);
  BOOST_TEST(loaded->tenant_limits.at("acme").max_running == 3);
}

BOOST_AUTO_TEST_CASE(a_secret_may_come_from_a_file_that_the_environment_names) {
  const written_file secret("postgresql://user:pass@host/db\n");
  const auto loaded = config::load("",
      {{"TROUPE__DATABASE__URL_FILE", secret.path()}, {"DATABASE_URL", "other"},
          {"TROUPE__PROVIDERS__A__API_KEY_FILE", "/run/secrets/a"}});
  BOOST_REQUIRE_MESSAGE(loaded, loaded.error().detail);
  BOOST_TEST(loaded->database_url == "postgresql://user:pass@host/db");
  BOOST_TEST(loaded->providers.at("a").api_key_file == "/run/secrets/a");
  BOOST_TEST((loaded->secret_files == std::vector<std::string>{secret.path(), "/run/secrets/a"}));
  BOOST_TEST(complaint("", {{"TROUPE__DATABASE__URL_FILE", "/nowhere"}})
      == "TROUPE__DATABASE__URL_FILE: the file `/nowhere` can't be read");
  BOOST_TEST(complaint("", {{"TROUPE__DATABASE__URL_FILE", "/x"}, {"TROUPE__DATABASE__URL", "y"}})
      == "TROUPE__DATABASE__URL_FILE: `TROUPE__DATABASE__URL` is set too; keep one of them");
  BOOST_TEST(complaint("", {{"TROUPE__SERVER__LISTEN_FILE", "/x"}}).find("unknown key `listen_file`")
      != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_secret_is_in_no_message) {
  BOOST_TEST(
      complaint("[providers.a]\napi_key = \"sk-secret\"\nmax_retries = \"sk-secret\"\n").find("sk-secret")
      == std::string::npos);
  BOOST_TEST(complaint("", {{"TROUPE__PROVIDERS__A__API_KEYS", "sk-secret"}}).find("sk-secret")
      == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_file_that_isnt_there_is_an_error) {
  BOOST_TEST(config::load("/nowhere/troupe.toml", {}).error().detail
      == "/nowhere/troupe.toml: there is no such configuration file");
  BOOST_TEST(config::load("", {{"TROUPE_CONFIG", "/nowhere/else.toml"}}).error().detail
      == "/nowhere/else.toml: there is no such configuration file");
}

BOOST_AUTO_TEST_SUITE_END()
