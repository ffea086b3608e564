// Queues come and go with what is to be done in them, and nothing is lost or doubled on the way.
#include "actors/queue/session_queues.hpp"
#include "actors/shared_look_ups.hpp"
#include "tests/actors/stage.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <atomic>
#include <thread>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(queues)

namespace {

/// A queue whose actor does nothing.
struct bare_queue {
  caf::actor_system_config config;
  caf::actor_system system{config};
  std::size_t spawned = 0;
  std::vector<caf::actor> all;
  actors::session_queues queues{nullptr, std::make_shared<const session::look_ups>()};

  caf::actor enter(delivery which = delivery::send) {
    return queues.enter(which, [&] {
      ++spawned;
      all.push_back(system.spawn([](caf::event_based_actor*) { return caf::behavior{[](int) {}}; }));
      return all.back();
    });
  }
  ~bare_queue() {
    queues.end();
    for (const auto& actor : all)
      caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  }
};

/// The file's rules: a run that stands at the gate, and others that don't.
const std::string held_run = R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"when":{"last_user_contains":"hold"},"reply":[)"
    + hold_call("a") + R"(]}
{"reply":[{"text":"Fine."}]})";

} // namespace

BOOST_AUTO_TEST_CASE(a_queue_stays_while_a_post_is_on_its_way_to_it) {
  bare_queue bare;
  auto& queues = bare.queues;
  const auto first = bare.enter();
  BOOST_TEST((bare.enter() == first));
  BOOST_TEST(!queues.leave(delivery::send));
  queues.has_read(delivery::send);
  BOOST_TEST(!queues.leave(delivery::send));
  queues.has_read(delivery::send);
  BOOST_TEST(queues.leave(delivery::send));
  BOOST_TEST((bare.enter() != first));
  BOOST_TEST(bare.spawned == 2U);
  BOOST_TEST((bare.enter(delivery::steer) != bare.enter()));
}

BOOST_AUTO_TEST_CASE(a_queue_that_broke_off_is_followed_by_another) {
  bare_queue bare;
  const auto first = bare.enter();
  bare.queues.ended(delivery::send, first.id());
  const auto second = bare.enter();
  BOOST_TEST((second != first));
  bare.queues.ended(delivery::send, first.id()); // it is told late
  BOOST_TEST((bare.enter() == second));
}

BOOST_AUTO_TEST_CASE(queues_end_only_when_the_agent_has_heard_of_everything) {
  bare_queue bare;
  auto& queues = bare.queues;
  bare.enter();
  BOOST_TEST(!queues.end_if_quiet(0));
  queues.has_read(delivery::send);
  queues.tells_agent();
  BOOST_TEST(queues.leave(delivery::send));
  BOOST_TEST(!queues.end_if_quiet(0)); // the word is on its way
  BOOST_TEST((bare.enter() != nullptr));
  queues.has_read(delivery::send);
  BOOST_TEST(queues.leave(delivery::send));
  BOOST_TEST(queues.end_if_quiet(1));
  BOOST_TEST((bare.enter() == nullptr));
  BOOST_TEST(queues.over());
}

BOOST_AUTO_TEST_CASE(what_waits_in_a_queue_counts_after_its_actor_has_left) {
  stage play(held_run);
  play.close_first();
  const auto node = play.start("narrow", [](actors::node_settings& settings) { settings.queued_max = 2; });
  auto session = must(node->open(play.options_of("s"), actors::opening::create));
  say(session, "hold", "m1");
  BOOST_TEST(play.gates.wait_until_begun("a"));
  say(session, "second", "m2");
  say(session, "third", "m3");
  BOOST_TEST(code_of(session.post(text_message("fourth", "m4"))) == "too_large");
  BOOST_TEST(say(session, "third", "m3").duplicate); // takes no more room
  say(session, "steered", "m5", delivery::steer);    // has a room of its own
  play.gates.open("a");
  until_idle(session);
  say(session, "fourth", "m4");
  until_idle(session);
  BOOST_TEST(play.count("s", "message.queued") == 5U);
  BOOST_TEST(play.wrong_with("s") == "");
}

// Each poster waits for its answer before the next post, so that the queues run empty all the time.
BOOST_AUTO_TEST_CASE(posts_that_race_with_a_queue_that_leaves_are_each_accepted_once) {
  stage play(R"({"reply":[{"text":"Yes."}]})");
  auto session = play.open("s", [](options& wanted) {
    wanted.send_mode = queue_mode::all;
    wanted.steering_mode = queue_mode::all;
  });
  constexpr int posters = 4;
  constexpr int each = 250;
  std::atomic<int> refused{0};
  std::mutex mutex;
  std::set<std::int64_t> places;
  std::vector<std::thread> threads;
  for (int p = 0; p < posters; ++p)
    threads.emplace_back([&, p] {
      for (int n = 0; n < each; ++n) {
        const auto answer = session.post(text_message("m", "m" + std::to_string(p) + "-" + std::to_string(n),
            (p + n) % 2 == 0 ? delivery::steer : delivery::send));
        if (!answer || answer->duplicate) {
          ++refused;
          continue;
        }
        const std::lock_guard lock(mutex);
        places.insert(answer->seq);
      }
    });
  for (auto& thread : threads)
    thread.join();
  const auto state = until_idle(session);
  BOOST_TEST(refused == 0);
  BOOST_TEST(places.size() == std::size_t{posters * each});
  BOOST_TEST(!state.has_queued());
  BOOST_TEST(play.count("s", "message.queued") == std::size_t{posters * each});
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(sessions_that_are_alike_share_their_look_ups) {
  const auto made = [](const std::string& instructions, bool durable = false) {
    auto known = std::make_shared<session::look_ups>();
    known->instructions = instructions;
    known->tools = R"([{"name":"a"}])";
    known->tool_facts["a"].durable = durable;
    return known;
  };
  actors::shared_look_ups shared;
  const auto first = shared.share(made("x"));
  BOOST_TEST((shared.share(made("x")) == first));
  BOOST_TEST((shared.share(made("y")) != first));
  const auto durable = shared.share(made("x", true)); // the same texts, and yet another tool
  BOOST_TEST((durable != first));
  BOOST_TEST((shared.share(made("x", true)) == durable));
  for (int i = 0; i < 1000; ++i)
    shared.share(made(std::to_string(i)));
  BOOST_TEST(shared.size() < 200U); // what nobody holds is dropped
  BOOST_TEST((shared.share(made("x")) == first));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
