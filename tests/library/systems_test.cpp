// A system begins and ends, on whatever thread and whatever is asked of it meanwhile.
#include "tests/library/stage.hpp"

#include <atomic>
#include <future>
#include <thread>

namespace troupe::library {

BOOST_AUTO_TEST_SUITE(systems)

namespace {

constexpr std::string_view holding_rules =
    R"({"when":{"last_user_contains":"hold"},"reply":[{"text":"So far"},{"hold":"gate"},{"text":", and on."}]}
{"reply":[{"text":"Hello."}]}
)";

} // namespace

BOOST_AUTO_TEST_CASE(one_may_be_ended_on_another_thread_than_the_one_that_made_it) {
  stage s(holding_rules);
  auto made = std::make_unique<system>(s.settings());
  made->open({.id = "demo"}).send("Hello?");
  std::thread([&] { made.reset(); }).join();
  BOOST_TEST(!made);
}

BOOST_AUTO_TEST_CASE(a_handle_outlives_its_system_and_says_so) {
  stage s(holding_rules);
  std::optional<agent> left;
  {
    system ended(s.settings());
    left = ended.open({.id = "demo"});
  }
  BOOST_TEST((thrown_by([&] { left->send("Hello?"); }) == problem_code::unavailable));
  BOOST_TEST((thrown_by([&] { left->events(); }) == problem_code::unavailable));
  BOOST_TEST((thrown_by([&] { left->on_text([](std::string_view) {}); }) == problem_code::unavailable));
}

BOOST_AUTO_TEST_CASE(who_waits_when_it_ends_is_told) {
  stage s(holding_rules);
  auto running = std::make_unique<system>(s.settings());
  auto agent = running->open({.id = "demo"});
  agent.send("Please hold.");
  BOOST_REQUIRE(s.gym->wait_until_held("gate", std::chrono::minutes(1)));
  auto waiting = std::async(std::launch::async, [&] { return thrown_by([&] { agent.wait_until_idle(); }); });
  auto following = std::async(std::launch::async, [&] {
    return thrown_by([&] {
      for (const auto& happened : agent.events())
        (void)happened;
    });
  });
  running.reset();
  const auto told = waiting.get();
  BOOST_REQUIRE(told.has_value());
  BOOST_TEST(name_of(*told) == name_of(problem_code::unavailable));
  BOOST_TEST((following.get() == problem_code::unavailable));
}

BOOST_AUTO_TEST_CASE(one_that_rests_is_let_go_of_and_taken_again) {
  stage s(holding_rules);
  system first(s.settings(), {.rest = std::chrono::milliseconds(1)});
  auto agent = first.open({.id = "demo"});
  agent.send("Hello?");
  agent.wait_until_idle();
  while (s.world.sql("select count(*) from troupe.sessions where node_id is not null") != "0")
    ;
  system second(s.settings());
  auto same = second.open({.id = "demo"});
  same.send("And here?");
  same.wait_until_idle();
  BOOST_TEST(same.context().size() == 4U);
}

BOOST_AUTO_TEST_CASE(it_ends_while_somebody_waits_where_text_is_told) {
  stage s(holding_rules);
  auto running = std::make_unique<system>(s.settings());
  auto agent = running->open({.id = "demo"});
  std::promise<void> telling;
  std::optional<problem_code> told;
  agent.on_text([&, mine = agent](std::string_view) mutable {
    telling.set_value();
    told = thrown_by([&] { mine.wait_until_idle(); });
  });
  agent.send("Please hold.");
  telling.get_future().wait();
  running.reset(); // the answer is held for good
  BOOST_TEST((told == problem_code::unavailable));
}

BOOST_AUTO_TEST_CASE(a_range_over_a_session_that_is_erased_says_so) {
  stage s(holding_rules);
  system system(s.settings());
  auto agent = system.open({.id = "demo"});
  agent.send("Please hold.");
  BOOST_REQUIRE(s.gym->wait_until_held("gate", std::chrono::minutes(1)));
  auto events = agent.events();
  BOOST_TEST(events.next().has_value());
  system.erase("demo");
  BOOST_TEST((thrown_by([&] {
    while (events.next()) {
    }
  }) == problem_code::not_found));
}

BOOST_AUTO_TEST_CASE(continuations_are_told_once_and_what_they_throw_goes_no_further) {
  stage s(holding_rules);
  system system(s.settings());
  auto agent = system.open({.id = "demo"});
  std::promise<result<accepted>> first;
  agent.async().send("Hello?", [&](result<accepted> got) {
    first.set_value(std::move(got));
    throw std::runtime_error("a continuation's own fault");
  });
  BOOST_TEST(first.get_future().get().has_value());
  std::promise<result<std::optional<standing>>> idle;
  agent.async().wait(false, std::chrono::minutes(1), [&](auto got) { idle.set_value(std::move(got)); });
  const auto now = idle.get_future().get();
  BOOST_REQUIRE(now.has_value());
  BOOST_TEST((*now)->status == "idle");
  std::promise<result<standing>> refused;
  agent.async().deny("no-such-decision", "", [&](auto got) { refused.set_value(std::move(got)); });
  const auto why = refused.get_future().get();
  BOOST_REQUIRE(why.has_error());
  BOOST_TEST((why.error().code == problem_code::not_found));
}

BOOST_AUTO_TEST_CASE(events_come_once_and_in_order_until_the_session_is_idle) {
  stage s(holding_rules);
  system system(s.settings());
  auto agent = system.open({.id = "demo"});
  agent.send("Hello?");
  std::int64_t last = 0;
  std::string said;
  for (const event& happened : agent.events({.after = 0})) {
    BOOST_TEST(happened.seq == last + 1);
    last = happened.seq;
    std::visit(
        overloaded{[&](const assistant_block& one) { said += std::get<text_block>(one.block).text.text; },
            [](const auto&) {}},
        happened.data);
  }
  BOOST_TEST(said == "Hello.");
  BOOST_TEST(last == agent.look().head);
  auto rest = agent.events({.after = last - 2, .follow = false});
  BOOST_TEST(rest.next()->seq == last - 1);
  BOOST_TEST(rest.next()->seq == last);
  BOOST_TEST(!rest.next().has_value());
  BOOST_TEST((thrown_by([&] { agent.events({.after = last + 1}); }) == problem_code::invalid_input));
}

BOOST_AUTO_TEST_CASE(many_threads_may_use_one_agent) {
  stage s(holding_rules);
  system system(s.settings());
  const auto agent = system.open({.id = "demo"});
  std::atomic<int> sent{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, mine = agent]() mutable {
      for (int n = 0; n < 5; ++n)
        sent += mine.send("Hello?").seq > 0 ? 1 : 0;
    });
  for (auto& thread : threads)
    thread.join();
  auto mine = agent;
  mine.wait_until_idle();
  BOOST_TEST(sent == 20);
  BOOST_TEST(mine.context().size() == 40U);
}

BOOST_AUTO_TEST_CASE(a_database_without_its_schema_is_no_place_to_start) {
  stage s(holding_rules);
  auto settings = s.settings();
  settings.database_url = "postgresql://127.0.0.1:1/none";
  BOOST_TEST((thrown_by([&] { system nowhere(settings); }) == problem_code::unavailable));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::library
