// The configuration: file, environment, and what is said about mistakes.
#include "config/config.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>

#include <unistd.h>

using namespace troupe;

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

BOOST_AUTO_TEST_SUITE(configuration)

BOOST_AUTO_TEST_CASE(without_a_file_every_key_has_its_default) {
  const written_file empty("");
  const auto loaded = config::load(empty.path(), {});
  BOOST_REQUIRE(loaded);
  BOOST_TEST(loaded->database_url.empty());
  BOOST_TEST(loaded->writers == 1);
  BOOST_TEST(loaded->workspace_root == ".");
  BOOST_TEST(loaded->providers.empty());
}

BOOST_AUTO_TEST_CASE(a_file_is_read) {
  const written_file file("[database]\nwriters = 2\n[providers.anthropic]\ntype = \"claude\"\nbase_url = "
                          "\"https://example.org\"\n"
                          "api_key_env = \"KEY\"\nmax_retries = 0\n[tools.workspace]\nroot = \"/srv\"\n");
  const auto loaded = config::load(file.path(), {});
  BOOST_REQUIRE_MESSAGE(loaded, loaded.error().detail);
  BOOST_TEST(loaded->writers == 2);
  BOOST_TEST(loaded->workspace_root == "/srv");
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
  BOOST_TEST(complaint("[database]\nwriters = 0\n") == "database.writers: `0` isn't between 1 and 64");
  BOOST_TEST(complaint("database = 1\n") == "FILE:1: `database` is a section: write it as [database]");
  BOOST_TEST(complaint("[providers]\nanthropic = \"x\"\n")
      == "FILE:2: `providers.anthropic` is a section: write it as [providers.anthropic]");
  BOOST_TEST(complaint("[tools.worksapce]\n")
      == "FILE:1: unknown key `worksapce`; did you mean `workspace`? in [tools]");
  BOOST_TEST(complaint("", {{"TROUPE__DATABASE__ULR", "x"}})
      == "the environment: unknown key `ulr`; did you mean `url`? in [database]");
  BOOST_TEST(complaint("[database\n").rfind("FILE:1: ", 0) == 0U);
}

BOOST_AUTO_TEST_CASE(a_secret_is_in_no_message) {
  BOOST_TEST(
      complaint("[providers.a]\napi_key = \"sk-secret\"\nmax_retries = \"sk-secret\"\n").find("sk-secret")
      == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_file_that_isnt_there_is_an_error) {
  BOOST_TEST(config::load("/nowhere/troupe.toml", {}).error().detail
      == "/nowhere/troupe.toml: there is no such configuration file");
  BOOST_TEST(config::load("", {{"TROUPE_CONFIG", "/nowhere/else.toml"}}).error().detail
      == "/nowhere/else.toml: there is no such configuration file");
}

BOOST_AUTO_TEST_SUITE_END()
