// A server that can't start says why and what to do, with the exit status of its kind.
#include "tests/crash/server_program.hpp"

#include <fstream>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(serve_start)

namespace {

struct ended {
  int status = 0;
  std::string said;
  bool says(const std::string& what) const { return said.find(what) != std::string::npos; }
};

ended serve(const std::vector<std::string>& flags, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{std::string(TROUPE_BINARY_DIR) + "/bin/troupe"};
  words.insert(words.end(), flags.begin(), flags.end());
  words.emplace_back("serve");
  words.insert(words.end(), more.begin(), more.end());
  program one(words);
  ended out;
  out.status = one.end();
  out.said = one.everything();
  return out;
}

/// A server with this configuration, which must not get as far as a database.
ended serve_with(const std::string& configuration, const std::vector<std::string>& more = {}) {
  const persistence::temporary_directory folder;
  const auto file = (folder.path / "troupe.toml").string();
  std::ofstream(file) << configuration;
  return serve({"--config", file, "--database", "postgresql://127.0.0.1:1/none"}, more);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_broken_configuration_is_told_with_its_line_and_the_nearest_key) {
  const auto section = serve_with("\n[servr]\nlisten = \"127.0.0.1:0\"\n");
  BOOST_TEST(section.status == 2);
  BOOST_TEST(section.says("troupe.toml:2: unknown key `servr`; did you mean `server`?"), section.said);
  const auto key = serve_with("[server]\n\ndrain_secnds = 3\n");
  BOOST_TEST(key.status == 2);
  BOOST_TEST(key.says("troupe.toml:3: unknown key `drain_secnds`; did you mean `drain_seconds`? in [server]"),
      key.said);
  const auto type = serve_with("[server]\ndrain_seconds = \"long\"\n");
  BOOST_TEST(type.status == 2);
  BOOST_TEST(type.says("troupe.toml:2: `server.drain_seconds`"), type.said);
  const auto bound = serve_with("[node]\nlease_seconds = 0\n");
  BOOST_TEST(bound.status == 2);
  BOOST_TEST(bound.says("troupe.toml:2: `node.lease_seconds`"), bound.said);
  const auto toml = serve_with("[server\n");
  BOOST_TEST(toml.status == 2);
  BOOST_TEST(toml.says("troupe.toml:1"), toml.said);
  const auto missing = serve({"--config", "/nowhere/troupe.toml"});
  BOOST_TEST(missing.status == 2);
  BOOST_TEST(missing.says("/nowhere/troupe.toml"), missing.said);
}

BOOST_AUTO_TEST_CASE(an_address_that_others_reach_is_refused) {
  const persistence::postgres_world world;
  const auto open = serve({"--database", world.url}, {"--listen", "0.0.0.0:0"});
  BOOST_TEST(open.status == 2);
  BOOST_TEST(open.says("isn't a loopback address"), open.said);
  const auto nonsense = serve_with("", {"--listen", "here"});
  BOOST_TEST(nonsense.status == 2);
  BOOST_TEST(nonsense.says("HOST:PORT"), nonsense.said);
}

BOOST_AUTO_TEST_CASE(a_database_that_refuses_connections_ends_it_with_3) {
  const auto away = serve({"--database", "postgresql://user:hidden@127.0.0.1:1/none"});
  BOOST_TEST(away.status == 3);
  BOOST_TEST(away.says("troupe: "), away.said);
  BOOST_TEST(away.says("onnection refused"), away.said);
  BOOST_TEST(!away.says("hidden"), away.said);
}

BOOST_AUTO_TEST_CASE(a_database_without_the_schema_ends_it_with_the_next_step) {
  const auto empty = serve({"--database", persistence::test_cluster().url()});
  BOOST_TEST(empty.status == 2);
  BOOST_TEST(empty.says("troupe migrate"), empty.said);
}

BOOST_AUTO_TEST_CASE(a_port_that_is_taken_is_named) {
  const persistence::postgres_world world;
  server_program first(world.url, "http://127.0.0.1:1");
  first.start();
  const std::string port = std::to_string(first.port());
  const auto second = serve({"--database", world.url}, {"--listen", "127.0.0.1:" + port});
  BOOST_TEST(second.status != 0);
  BOOST_TEST(second.says("can't listen on 127.0.0.1 port " + port), second.said);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
