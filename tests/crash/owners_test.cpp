// Two processes and one session: an owner that stood still is fenced, and a second one is refused by
// name while the first lives.
#include "tests/crash/scene.hpp"

#include <fstream>

#include <csignal>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(owners)

BOOST_AUTO_TEST_CASE(an_owner_that_stood_still_past_its_lease_can_append_nothing) {
  scene place(R"({"reply":[{"text":"Fine."}]})");
  auto first =
      place.start({"node=sleeper", "lease=1000", "post:m1:Hello", "idle", "line", "post:z:from a zombie"});
  std::vector<std::string> accepted{first.expect("accepted m1")};
  first.expect("idle");
  first.signal(SIGSTOP);
  std::string taken;
  for (int tries = 0; tries < 200 && taken.empty(); ++tries) {
    auto second = place.start({"node=heir", "post:m2:Hello", "idle"});
    const int status = second.end();
    const std::string said = second.everything();
    if (status == 0)
      taken = said;
    else
      BOOST_TEST(
          said.find("refused owned_elsewhere session `s` is owned by node `sleeper`") != std::string::npos,
          said);
  }
  const auto at = taken.find("accepted m2");
  BOOST_REQUIRE(at != std::string::npos);
  accepted.push_back(taken.substr(at, taken.find('\n', at) - at));
  first.say("go on");
  first.signal(SIGCONT);
  first.expect("refused fenced");
  BOOST_TEST(first.end() == 1);
  place.check_whole(accepted);
  BOOST_TEST(place.count("message.queued") == 2U);
}

BOOST_AUTO_TEST_CASE(a_command_on_a_session_that_another_one_runs_is_refused_by_name) {
  scene place(
      R"({"when":{"last_user_contains":"first"},"reply":[{"text":"One "},{"hold":"gate"},{"text":"two."}]}
{"reply":[{"text":"Fine."}]})");
  const auto config = (place.folder() / "troupe.toml").string();
  std::ofstream(config) << "[providers.scripted]\ntype = \"claude\"\nbase_url = \"" << place.gym->base_url()
                        << "\"\napi_key = \"none\"\n";
  const auto command = [&](const std::string& prompt) {
    return program({std::string(TROUPE_BINARY_DIR) + "/bin/troupe", "--config", config, "--database",
        place.world.url, "run", "--session", "s", prompt});
  };
  auto first = command("first");
  BOOST_TEST(place.gym->wait_until_held("gate", patience));
  auto second = command("second");
  BOOST_TEST(second.end() == 1);
  const std::string said = second.everything();
  BOOST_TEST(said.find("session `s` is owned by node `") != std::string::npos, said);
  place.gym->release("gate");
  BOOST_TEST(first.end() == 0);
  BOOST_TEST(first.everything().find("two.") != std::string::npos, first.everything());
  auto third = command("third");
  BOOST_TEST(third.end() == 0);
  place.check_whole({});
  BOOST_TEST(place.count("message.queued") == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
