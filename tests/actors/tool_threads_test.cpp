// Threads for tools: as many as run at once, used again, and all ended with their owner.
#include "actors/tool_call/tool_threads.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <future>
#include <set>

using namespace troupe::actors;

BOOST_AUTO_TEST_SUITE(tool_threads_of_a_node)

BOOST_AUTO_TEST_CASE(work_never_waits_behind_other_work) {
  tool_threads threads;
  std::promise<void> gate;
  const auto open = gate.get_future().share();
  constexpr int many = 50;
  std::vector<std::promise<void>> begun(many);
  for (auto& one : begun)
    threads.run([&one, open] {
      one.set_value();
      open.wait();
    });
  for (auto& one : begun)
    one.get_future().get(); // all have begun though none has ended
  gate.set_value();
}

BOOST_AUTO_TEST_CASE(a_thread_is_used_again) {
  tool_threads threads(std::chrono::hours(1));
  std::set<std::thread::id> seen;
  for (int i = 0; i < 20; ++i) {
    std::promise<std::thread::id> who;
    threads.run([&] { who.set_value(std::this_thread::get_id()); });
    seen.insert(who.get_future().get());
  }
  BOOST_TEST(seen.size() < 20U);
}

BOOST_AUTO_TEST_CASE(its_end_waits_for_what_runs) {
  std::atomic<int> ended{0};
  {
    tool_threads threads;
    for (int i = 0; i < 10; ++i)
      threads.run([&] { ++ended; });
  }
  BOOST_TEST(ended == 10);
}

BOOST_AUTO_TEST_SUITE_END()
