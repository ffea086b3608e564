// Cases from public bug reports as whole nodes meet them; each test names its case.
#include "tests/actors/stage.hpp"

#include <thread>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(reported_cases)

namespace {

using persistence::made_fault;

const std::string fine = R"({"reply":[{"text":"Fine."}]})";

std::vector<std::string> requests(stage& play) {
  const std::string text = play.gym->requests();
  const auto parsed = must(json::parse(text));
  std::vector<std::string> all;
  for (const auto& one : parsed.items())
    all.emplace_back(one.source());
  return all;
}

/// Waits for what other threads bring about; fails the test if that takes too long.
void until(const std::function<bool()>& it_is_so) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!it_is_so()) {
    if (std::chrono::steady_clock::now() > end)
      BOOST_FAIL("it doesn't come to that");
    std::this_thread::yield();
  }
}

} // namespace

// B-028: a tool that throws has a result like any other.
BOOST_AUTO_TEST_CASE(a_tool_that_throws_beside_another_leaves_no_call_open) {
  stage play(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[{"call":{"name":"big","arguments":{"bytes":3}}},{"call":{"name":"boom","arguments":{}}}]})");
  auto session = play.open("s");
  say(session, "Do it");
  until_idle(session);
  const auto asked = requests(play);
  BOOST_REQUIRE_EQUAL(asked.size(), 2U);
  BOOST_TEST(asked[1].find("ttt") < asked[1].find("it blew up"));
  BOOST_TEST(asked[1].find(R"("is_error":true)") != std::string::npos, asked[1]);
  BOOST_TEST(play.count("s", "tool.result") == 2U);
  BOOST_TEST(play.wrong_with("s") == "");
}

// B-052: who asks for more patience than anybody has is not waited for, and holds nobody up.
BOOST_AUTO_TEST_CASE(a_wait_of_half_an_hour_is_a_failure_at_once) {
  stage play(R"({"times":1,"reply":[{"http_error":{"status":429,"message":"slow down","retry_after":1600}}]}
)" + fine);
  auto session = play.open("s");
  say(session, "Hello");
  const auto state = until_idle(session);
  BOOST_TEST(state.last_error.value().code == "rate_limit");
  BOOST_TEST(requests(play).size() == 1U);
  BOOST_TEST(all_of<inference_finished>(play.log("s")).at(0).retries == 0);
  say(session, "Hello again");
  BOOST_TEST(!until_idle(session).last_error);
}

// B-080: what wasn't committed when the process died was never there, and doesn't come back later.
BOOST_AUTO_TEST_CASE(a_write_that_never_landed_leaves_the_session_at_the_event_before) {
  stage play(fine);
  auto session = play.open("s");
  say(session, "Hello", "m1");
  until_idle(session);
  const auto head = play.row("s").head;
  const auto writes = play.store->writes();
  play.store->expect(made_fault::write_late);
  play.store->expect(made_fault::full);
  result<actors::acceptance> answer = problem{};
  std::thread posting([&] { answer = session.post(text_message("And", "m2")); });
  until([&] { return play.store->writes() >= writes + 2; }); // sent, and tried again in vain
  play.close_first();
  posting.join();
  BOOST_TEST(code_of(answer) == "unavailable");
  play.store->heal();
  BOOST_TEST(play.row("s").head == head);
  const auto second = play.start();
  auto again = must(second->open(stage::options_of("s"), actors::opening::find));
  BOOST_TEST(!say(again, "And", "m2").duplicate);
  until_idle(again);
  play.store->land(); // it fits no more
  BOOST_TEST(play.count("s", "message.queued") == 2U);
  BOOST_TEST(play.wrong_with("s") == "");
}

// B-084: those who look for work that was left behind leave alone what runs.
BOOST_AUTO_TEST_CASE(sessions_that_start_while_others_look_for_work_are_each_run_once) {
  stage play(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[)"
      + hold_call("a") + "]}");
  play.gates.open("a");
  constexpr int sessions = 100;
  std::thread starting([&] {
    for (int i = 0; i < sessions; ++i) {
      auto session = play.open("s" + std::to_string(i));
      say(session, "Do it");
    }
  });
  for (int scans = 0; scans < 12; ++scans) // each looks for what is due as soon as it is there
    play.start("scan" + std::to_string(scans), [](actors::node_settings& of) { of.takes_over = true; });
  starting.join();
  for (int i = 0; i < sessions; ++i) {
    const std::string id = "s" + std::to_string(i);
    auto session = play.open(id);
    until_idle(session);
    BOOST_TEST(play.count(id, "run.started") == 1U);
    BOOST_TEST(play.row(id).epoch == 1);
    BOOST_TEST(play.wrong_with(id) == "");
  }
  BOOST_TEST(play.gates.begun("a") == static_cast<std::size_t>(sessions));
  BOOST_TEST(requests(play).size() == 2U * sessions);
}

// B-089: a session that waits for a person stays in the memory as long as a tool of it is at work.
BOOST_AUTO_TEST_CASE(no_session_leaves_the_memory_under_a_tool_that_runs) {
  stage play(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"when":{"last_user_contains":"Do it"},"reply":[)"
      + hold_call("a") + R"(,{"call":{"name":"big","arguments":{"bytes":3}}}]}
)" + fine);
  play.close_first();
  const auto node = play.start(
      // long enough for a handle that was just given to be used, on a machine that has much to do, too
      "quick", [](actors::node_settings& of) { of.rest_before_leaving = std::chrono::milliseconds(400); });
  const auto wanted = stage::options_of("s", [](options& of) {
    of.permissions = std::vector<permission_rule>{{"big", permission::ask, std::nullopt}};
  });
  auto session = must(node->open(wanted, actors::opening::create));
  say(session, "Do it");
  BOOST_REQUIRE(play.gates.wait_until_begun("a"));
  for (int i = 0; i < 3; ++i) { // others come, rest, and leave meanwhile
    auto other = must(node->open(stage::options_of("other"), actors::opening::either));
    say(other, "Hello");
    until_idle(other);
    until([&] { return !node->here("other"); });
  }
  BOOST_TEST(node->here("s").has_value());
  play.gates.open("a");
  until([&] { return !node->here("s"); });
  BOOST_TEST(play.count("s", "tool.receipt") == 1U);
  BOOST_TEST(play.row("s").view.status == "waiting");
  auto again = must(node->open(wanted, actors::opening::find));
  must(again.order(
      decide_permission{until_attention(again).calls.at(1).decision_id, true, "user", std::nullopt, {}}));
  until_idle(again);
  BOOST_TEST(play.gates.begun("a") == 1U);
  BOOST_TEST(play.wrong_with("s") == "");
}

// B-090: a run that is over waits for nothing, and tries nothing again.
BOOST_AUTO_TEST_CASE(runs_that_were_aborted_while_they_waited_to_try_again_are_quiet) {
  stage play(R"({"reply":[{"http_error":{"status":529,"message":"busy","retry_after":50}}]})");
  constexpr std::size_t count = 60;
  std::vector<actors::session_handle> sessions;
  for (std::size_t i = 0; i < count; ++i) {
    sessions.push_back(play.open("s" + std::to_string(i)));
    say(sessions.back(), "Hello");
  }
  until([&] { return requests(play).size() == count; });
  for (auto& session : sessions)
    must(session.abort("user"));
  for (auto& session : sessions) {
    until_idle(session);
    BOOST_TEST(play.count(session.id(), "run.finished") == 1U);
  }
  BOOST_TEST(requests(play).size() == count);
  const auto begun = std::chrono::steady_clock::now();
  sessions.clear();
  play.close_first();
  BOOST_TEST((std::chrono::steady_clock::now() - begun < std::chrono::seconds(5)));
  BOOST_TEST(requests(play).size() == count);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
