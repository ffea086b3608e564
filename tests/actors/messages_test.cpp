// Accepting messages: once each, from however many sides they come.
#include "tests/actors/stage.hpp"

#include <atomic>
#include <set>
#include <thread>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(accepting_messages)

namespace {

const std::string simple = R"({"reply":[{"text":"Yes."}]})";

} // namespace

BOOST_AUTO_TEST_CASE(the_same_id_with_the_same_content_is_the_same_message) {
  stage play(simple);
  auto session = play.open("s");
  const auto first = say(session, "Hello", "m1");
  until_idle(session);
  const auto again = say(session, "Hello", "m1");
  BOOST_TEST(again.duplicate);
  BOOST_TEST(again.seq == first.seq);
  BOOST_TEST(say(session, "Hello", "m1", delivery::steer).duplicate);
  until_idle(session);
  BOOST_TEST(play.count("s", "message.queued") == 1U);
  BOOST_TEST(play.count("s", "run.started") == 1U);
}

BOOST_AUTO_TEST_CASE(the_same_id_with_another_content_is_a_conflict) {
  stage play(simple);
  auto session = play.open("s");
  say(session, "Hello", "m1");
  BOOST_TEST(code_of(session.post(text_message("Goodbye", "m1"))) == "conflict");
  const std::string big(20'000, 'b');
  say(session, big, "m2");
  BOOST_TEST(say(session, big, "m2").duplicate);
  BOOST_TEST(code_of(session.post(text_message(big + "!", "m2"))) == "conflict");
  until_idle(session);
  BOOST_TEST(play.count("s", "message.queued") == 2U);
}

BOOST_AUTO_TEST_CASE(one_of_many_who_use_an_id_at_once_is_accepted) {
  stage play(simple);
  auto session = play.open("s");
  constexpr int rounds = 20;
  for (int round = 0; round < rounds; ++round) {
    std::atomic<int> accepted{0};
    std::atomic<int> duplicates{0};
    std::atomic<int> conflicts{0};
    std::set<std::int64_t> places;
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i)
      threads.emplace_back([&, i] {
        const auto answer = session.post(text_message(
            i < 3 ? "one" : "other", "m" + std::to_string(round), i % 2 ? delivery::steer : delivery::send));
        if (!answer) {
          conflicts += answer.error().code == problem_code::conflict ? 1 : 0;
          return;
        }
        (answer->duplicate ? duplicates : accepted) += 1;
        const std::lock_guard lock(mutex);
        places.insert(answer->seq);
      });
    for (auto& thread : threads)
      thread.join();
    BOOST_TEST(accepted == 1);
    BOOST_TEST(duplicates == 2);
    BOOST_TEST(conflicts == 3);
    BOOST_TEST(places.size() == 1U);
  }
  until_idle(session);
  BOOST_TEST(play.count("s", "message.queued") == std::size_t{rounds});
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(messages_from_all_sides_are_each_answered_once) {
  stage play(simple);
  auto session = play.open("s", [](options& wanted) { wanted.send_mode = queue_mode::all; });
  std::vector<std::thread> threads;
  std::atomic<int> refused{0};
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int n = 0; n < 100; ++n)
        refused += session.post(text_message("m", "m" + std::to_string(i) + "-" + std::to_string(n))) ? 0 : 1;
    });
  for (auto& thread : threads)
    thread.join();
  const auto state = until_idle(session);
  BOOST_TEST(refused == 0);
  BOOST_TEST(!state.has_queued());
  BOOST_TEST(play.count("s", "message.queued") == 800U);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_log_begins_with_the_session_however_soon_the_first_message_comes) {
  stage play(simple);
  for (int i = 0; i < 100; ++i) {
    const std::string id = "s" + std::to_string(i);
    auto session = play.open(id);
    say(session, "Hello");
    BOOST_TEST(play.stored(id).front().type == "session.created");
  }
}

BOOST_AUTO_TEST_CASE(a_bad_id_and_an_unknown_provider_are_refused_with_nothing_stored) {
  stage play(simple);
  auto session = play.open("s");
  BOOST_TEST(code_of(session.post(text_message("Hello", "no spaces"))) == "invalid_input");
  auto message = text_message("Hello");
  message.settings = message_settings{"elsewhere", {}, {}, {}};
  BOOST_TEST(code_of(session.post(message)) == "invalid_input");
  BOOST_TEST(play.types("s") == "session.created");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
