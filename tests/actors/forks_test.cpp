// Forks on a node: each is there whole or not at all, and of two under one name one is made.
#include "actors/reception.hpp"
#include "tests/actors/stage.hpp"

#include "messages/event_codec.hpp"
#include "persistence/this_process.hpp"

#include <future>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(forks)

namespace {

const std::string fine = R"({"reply":[{"text":"Fine."}]})";

result<bool> fork(actors::node& node, const std::string& from, std::int64_t at, const std::string& id) {
  std::promise<result<bool>> made;
  node.fork(from, at, id, {}, [&](const result<bool>& came) { made.set_value(came); });
  return made.get_future().get();
}

void say_once(stage& play) {
  auto session = play.open("s");
  say(session, "Hello");
  until_idle(session);
}

} // namespace

BOOST_AUTO_TEST_CASE(of_many_under_one_name_one_is_made) {
  stage play(fine);
  say_once(play);
  const auto other = play.start();
  std::vector<std::future<result<bool>>> all;
  for (int i = 0; i < 8; ++i)
    all.push_back(std::async(
        std::launch::async, [&, i] { return fork(i % 2 ? *other : play.node(), "s", 1 + i, "f"); }));
  std::size_t made = 0;
  for (auto& one : all)
    made += one.get().has_value() ? 1U : 0U;
  BOOST_TEST(made == 1U);
  BOOST_TEST(play.count("f", "session.forked") == 1U);
  BOOST_TEST(play.wrong_with("f") == "");
}

BOOST_AUTO_TEST_CASE(a_session_that_is_made_under_the_same_name_is_not_lost) {
  stage play(fine);
  say_once(play);
  for (int i = 0; i < 40; ++i) {
    const std::string id = "f" + std::to_string(i);
    auto making = std::async(std::launch::async,
        [&] { return play.node().open(stage::options_of(id), actors::opening::create).has_value(); });
    const bool forked = fork(play.node(), "s", 3, id).has_value();
    const bool made = making.get();
    BOOST_TEST(forked != made, id);
    BOOST_TEST(play.count(id, "session.forked") == (forked ? 1U : 0U));
    BOOST_TEST(play.wrong_with(id) == "");
  }
}

BOOST_AUTO_TEST_CASE(the_same_request_again_is_the_same_fork_and_another_is_refused) {
  stage play(fine);
  say_once(play);
  BOOST_TEST(must(fork(play.node(), "s", 3, "f")));
  BOOST_TEST(must(fork(play.node(), "s", 3, "f")));
  BOOST_TEST(play.count("f", "session.forked") == 1U);
  BOOST_TEST(code_of(fork(play.node(), "s", 4, "f")) == "conflict");
}

BOOST_AUTO_TEST_CASE(a_session_of_another_node_can_be_forked_here) {
  stage play(fine);
  say_once(play);
  const auto other = play.start();
  BOOST_TEST(must(fork(*other, "s", play.row("s").head, "f")));
  options wanted;
  wanted.id = "f";
  auto session = must(other->open(wanted, actors::opening::find));
  say(session, "Hello from here");
  until_idle(session);
  BOOST_TEST(play.wrong_with("f") == "");
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_store_in_trouble_leaves_no_half_fork) {
  stage play(fine);
  say_once(play);
  for (const auto fault : {persistence::made_fault::lose_answer, persistence::made_fault::lose_write,
           persistence::made_fault::fail}) {
    const std::string id = "f" + std::to_string(static_cast<int>(fault));
    play.store->expect(fault);
    BOOST_TEST(code_of(fork(play.node(), "s", 3, id)) == "unavailable");
    BOOST_TEST(must(fork(play.node(), "s", 3, id))); // the same again, whatever became of it
    BOOST_TEST(play.count(id, "session.forked") == 1U);
    BOOST_TEST(play.wrong_with(id) == "");
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
