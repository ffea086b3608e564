// Sessions that leave the memory: nobody outside can tell, and what is due wakes them.
#include "persistence/this_process.hpp"
#include "session/snapshot.hpp"
#include "tests/served/served.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(served_rest)

namespace {

void leaves_soon(actors::node_settings& settings) {
  settings.rest_before_leaving = std::chrono::milliseconds(1);
  settings.takes_over = true;
}

void until_out_of_memory(const served& here) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (here.node->sessions_in_memory() > 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::yield();
  BOOST_REQUIRE(here.node->sessions_in_memory() == 0);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_session_out_of_memory_is_as_it_was) {
  served here(R"({"reply":[{"text":"Hi."}]})", leaves_soon);
  here.make("s", R"(,"metadata":{"a":1})");
  here.say("s", "Hello");
  const auto before = here.until_idle("s");
  until_out_of_memory(here);
  const auto after = here.get("/v1/sessions/s");
  for (const char* const field :
      {"id", "status", "head_seq", "usage", "metadata", "tools", "model", "created_at"})
    BOOST_TEST(after.at(field) == before.at(field), field);
  BOOST_TEST(here.get("/v1/sessions/s/context").size("messages") == 2U);
  BOOST_TEST(here.say("s", "again", R"(,"id":"m2")").status == 202);
  here.until_idle("s");
  until_out_of_memory(here);
  BOOST_TEST(here.say("s", "again", R"(,"id":"m2")").at("duplicate") == "true");
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(messages_that_come_while_it_leaves_are_all_accepted) {
  served here(R"({"reply":[{"text":"Hi."}]})", leaves_soon);
  here.make("s");
  constexpr int many = 200;
  std::vector<std::thread> clients;
  for (int c = 0; c < 4; ++c)
    clients.emplace_back([&, c] {
      for (int i = 0; i < many / 4; ++i) {
        const auto got = here.say("s", "Hello", R"(,"id":"m)" + std::to_string(c * 1000 + i) + "\"");
        if (got.status != 202 || got.at("duplicate") != "false")
          BOOST_ERROR(got.body);
        here.get("/v1/sessions/s/wait");
      }
    });
  for (auto& one : clients)
    one.join();
  here.until_idle("s");
  BOOST_TEST(here.play.count("s", "message.queued") == static_cast<std::size_t>(many));
  BOOST_TEST(here.get("/v1/sessions/s/queues").size("send") == 0U);
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_stream_goes_on_over_a_session_that_leaves_and_comes_back) {
  served here(R"({"reply":[{"text":"Hi."}]})", leaves_soon);
  here.make("s");
  event_reader reader(here.port(), "s");
  for (int i = 0; i < 3; ++i) {
    here.say("s", "Hello");
    reader.until("run.finished");
    until_out_of_memory(here);
  }
  BOOST_TEST(here.play.count("s", "run.finished") == 3U);
}

BOOST_AUTO_TEST_CASE(a_call_that_waits_for_a_client_wakes_its_session_when_its_time_is_up) {
  served here(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[{"call":{"name":"remote","arguments":{}}}]})",
      leaves_soon);
  here.make("s",
      R"(,"client_tools":[{"name":"remote","description":"Far.","parameters":{"type":"object"},"timeout_ms":400}])");
  event_reader reader(here.port(), "s");
  here.say("s", "Hello");
  reader.until("tool.started");
  until_out_of_memory(here);
  here.play.store->advance(1'000'000); // as the database sees it, the time has come
  reader.until("run.finished");
  BOOST_TEST(here.get("/v1/sessions/s/context").body.find("not answered in time") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_session_is_awake_by_its_snapshot_and_the_same) {
  served here(R"({"reply":[{"text":"Hi."}]})", leaves_soon);
  here.make("s");
  for (int i = 0; i < 30; ++i) { // enough that a snapshot is worth it
    here.say("s", "Hello");
    here.until_idle("s");
  }
  until_out_of_memory(here);
  const auto before = here.get("/v1/sessions/s/context");
  here.say("s", "And now?");
  here.until_idle("s");
  BOOST_TEST(here.play.wrong_with("s") == ""); // the digest of each inference among it
  const auto after = here.get("/v1/sessions/s/context");
  BOOST_REQUIRE(after.size("messages") == before.size("messages") + 2);
  for (std::size_t i = 0; i < before.size("messages"); ++i)
    BOOST_TEST(after.at("messages/" + std::to_string(i)) == before.at("messages/" + std::to_string(i)));
  until_out_of_memory(here);
  const auto journal = persistence::make_memory_journal(here.play.store);
  const auto me = persistence::this_process("me");
  must(journal->heartbeat(me, 60'000));
  BOOST_TEST(must(journal->take(1, "s", me, session::snapshot_version)).from.has_value());
}

BOOST_AUTO_TEST_CASE(long_instructions_of_a_change_are_there_after_a_rest) {
  served here(R"({"reply":[{"text":"Hi."}]})", leaves_soon);
  here.make("s");
  for (int i = 0; i < 20; ++i) {
    here.say("s", "Hello");
    here.until_idle("s");
  }
  const std::string longer(20'000, 'i');
  BOOST_TEST(here.patch("/v1/sessions/s", R"({"instructions":")" + longer + R"("})").status == 200);
  BOOST_TEST(here.play.stored("s").back().payload.size() < 1000U); // by content, as everywhere
  until_out_of_memory(here);
  BOOST_TEST(here.get("/v1/sessions/s").at("instructions") == longer);
  here.say("s", "Hello");
  BOOST_TEST(here.until_idle("s").at("error") == "");
  BOOST_TEST(here.play.gym->requests().find(longer.substr(0, 1000)) != std::string::npos);
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(what_is_done_is_said_to_be_also_when_the_session_leaves_right_behind_it) {
  served here(R"({"reply":[{"text":"Hi."}]})", leaves_soon);
  here.make("s");
  for (int i = 0; i < 100; ++i) {
    const std::string text = R"({"n":)" + std::to_string(i) + "}";
    const auto changed = here.patch("/v1/sessions/s", R"({"metadata":)" + text + "}");
    BOOST_TEST(changed.status == 200, changed.body);
    BOOST_TEST(changed.body.find(text) != std::string::npos);
    const auto aborted = here.post("/v1/sessions/s/abort", "{}");
    BOOST_TEST(aborted.status == 200, aborted.body);
  }
}

BOOST_AUTO_TEST_CASE(work_that_was_left_is_taken_by_whoever_takes_over) {
  served here(R"({"reply":[{"text":"Hi."}]})");
  {
    const auto gone = here.play.start("gone");
    auto session = must(gone->open(stage::options_of("left"), actors::opening::create));
    testing::say(session, "Hello");
  } // it may have left in the middle of the answer, or right after
  const auto other = here.play.start("other", leaves_soon);
  auto reader = other->follow(here.play.row("left").key, 0);
  await(*reader, "run.finished");
  BOOST_TEST(here.play.wrong_with("left") == "");
}

BOOST_AUTO_TEST_CASE(a_node_without_the_provider_leaves_the_session_to_another) {
  served here(R"({"times":1,"reply":[{"hold":"gate"},{"text":"Never."}]}
{"reply":[{"text":"Hi."}]})");
  {
    const auto gone = here.play.start("gone");
    auto session = must(gone->open(stage::options_of("left"), actors::opening::create));
    testing::say(session, "Hello");
    BOOST_REQUIRE(here.play.gym->wait_until_held("gate", patience));
  }
  const auto epoch = here.play.row("left").epoch;
  const auto unable = here.play.start("unable", [](actors::node_settings& settings) {
    leaves_soon(settings);
    auto provider = settings.providers.extract("gym");
    provider.key() = "elsewhere";
    settings.providers.insert(std::move(provider));
  });
  const auto until = std::chrono::steady_clock::now() + patience;
  while (here.play.row("left").epoch < epoch + 2 && std::chrono::steady_clock::now() < until)
    std::this_thread::yield(); // taken, and let go of
  BOOST_TEST(here.play.count("left", "output.voided") == 0U);
  const auto able = here.play.start("able", leaves_soon);
  auto reader = able->follow(here.play.row("left").key, 0);
  BOOST_TEST((std::get<run_finished>(await(*reader, "run.finished").data).outcome.kind
      == run_outcome_kind::completed));
}

BOOST_AUTO_TEST_SUITE_END()
