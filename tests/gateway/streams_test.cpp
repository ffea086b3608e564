// Event streams over sockets: framing, slow readers, quiet times, readers that leave.
#include "gateway/sse_writer.hpp"
#include "tests/gateway/serving.hpp"

#include <algorithm>
#include <deque>
#include <fstream>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

using namespace troupe::gateway;
using namespace troupe::gateway::testing;

BOOST_AUTO_TEST_SUITE(streams)

namespace {

constexpr std::string_view ask_events =
    "GET /v1/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n";

std::string event(std::uint64_t id, std::string_view data) {
  std::string out;
  append_event(out, id, "message.queued", data);
  return out;
}

// A sanitizer keeps freed memory for a while.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool memory_is_freed = false;
#else
constexpr bool memory_is_freed = true;
#endif

} // namespace

BOOST_AUTO_TEST_CASE(events_come_as_they_happen_and_the_connection_serves_on) {
  serving here;
  here.events.push(event(1, "{}"));
  client one(here.port());
  one.send(ask_events);
  const received head = one.read_head();
  BOOST_CHECK_EQUAL(head.status, 200);
  BOOST_CHECK(head.has("content-type", "text/event-stream"));
  BOOST_CHECK(head.has("cache-control", "no-cache, no-transform"));
  BOOST_CHECK_EQUAL(one.read_chunk(), "id: 1\nevent: message.queued\ndata: {}\n\n");
  here.events.push(event(2, "{}"));
  BOOST_CHECK_EQUAL(one.read_chunk(), event(2, "{}"));
  here.events.end();
  BOOST_CHECK_EQUAL(one.read_chunk(), "");
  BOOST_CHECK(here.events.wait_released());
  BOOST_CHECK_EQUAL(one.get("/healthz").status, 200);
}

BOOST_AUTO_TEST_CASE(events_from_many_threads_all_arrive) {
  serving here;
  client one(here.port());
  one.send(ask_events);
  std::vector<std::thread> pushing;
  for (int t = 0; t < 4; ++t)
    pushing.emplace_back([&] {
      for (int i = 0; i < 2500; ++i)
        here.events.push("data: x\n\n");
    });
  for (std::thread& each : pushing)
    each.join();
  here.events.end();
  BOOST_CHECK_EQUAL(one.read_answer().body.size(), 10000U * 9);
}

BOOST_AUTO_TEST_CASE(a_slow_reader_holds_up_nobody_and_nothing_piles_up_for_it) {
  serving here({}, 1);
  here.events.make_endless();
  client slow(here.port(), 4096);
  slow.send(ask_events);
  BOOST_REQUIRE(here.events.wait_pulled(1));
  client other(here.port());
  for (int i = 0; i < 500; ++i)
    BOOST_REQUIRE_EQUAL(other.get("/healthz").status, 200);
  BOOST_CHECK_LT(here.events.pulled_bytes(), std::size_t{16} << 20); // what the kernel takes, no more
}

BOOST_AUTO_TEST_CASE(a_reader_of_an_endless_stream_leaves_others_their_turn) {
  serving here({}, 1);
  here.events.make_endless();
  client fast(here.port());
  fast.send(ask_events);
  std::thread reading([&] {
    while (fast.read_bytes(100'000).size() == 100'000)
      ;
  });
  client other(here.port());
  for (int i = 0; i < 100; ++i)
    BOOST_REQUIRE_EQUAL(other.get("/healthz").status, 200);
  here.stop();
  reading.join();
}

BOOST_AUTO_TEST_CASE(a_reader_that_leaves_releases_its_source) {
  serving here;
  {
    client one(here.port());
    one.send(ask_events);
    BOOST_CHECK_EQUAL(one.read_head().status, 200);
  }
  BOOST_CHECK(here.events.wait_released());
  here.events.push("data: x\n\n"); // goes nowhere
}

BOOST_AUTO_TEST_CASE(a_quiet_stream_says_that_it_lives) {
  bounds limits;
  limits.comment_interval = std::chrono::milliseconds(20);
  serving here(limits);
  client one(here.port());
  one.send(ask_events);
  BOOST_CHECK_EQUAL(one.read_head().status, 200);
  BOOST_CHECK_EQUAL(one.read_chunk(), ": keep-alive\n\n");
  here.events.push(event(1, "{}"));
  std::string seen = one.read_chunk();
  while (seen == ": keep-alive\n\n")
    seen = one.read_chunk();
  BOOST_CHECK_EQUAL(seen, event(1, "{}"));
  BOOST_CHECK_EQUAL(one.read_chunk(), ": keep-alive\n\n");
}

BOOST_AUTO_TEST_CASE(a_reader_that_takes_nothing_is_let_go) {
  bounds limits;
  limits.stall_timeout = std::chrono::milliseconds(50);
  serving here(limits);
  here.events.make_endless();
  client one(here.port(), 4096);
  one.send(ask_events);
  BOOST_CHECK(here.events.wait_released());
}

BOOST_AUTO_TEST_CASE(http_1_0_gets_a_stream_without_chunks) {
  serving here;
  here.events.push(event(1, "{}"));
  here.events.end();
  client one(here.port());
  one.send("GET /v1/events HTTP/1.0\r\n\r\n");
  const received got = one.read_answer();
  BOOST_CHECK(!got.headers.contains("transfer-encoding"));
  BOOST_CHECK_EQUAL(got.body, event(1, "{}"));
}

BOOST_AUTO_TEST_CASE(the_head_of_a_stream_has_no_events) {
  serving here;
  here.events.push(event(1, "{}"));
  client one(here.port());
  one.send("HEAD /v1/events HTTP/1.1\r\nHost: x\r\n\r\n");
  BOOST_CHECK(one.read_answer(true).has("content-type", "text/event-stream"));
  BOOST_CHECK_EQUAL(one.get("/healthz").body, R"({"ok":true})");
}

BOOST_AUTO_TEST_CASE(what_a_reader_sends_behind_its_request_is_dropped) {
  serving here;
  client one(here.port());
  one.send(ask_events);
  BOOST_CHECK_EQUAL(one.read_head().status, 200);
  one.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  here.events.push(event(1, "{}"));
  BOOST_CHECK_EQUAL(one.read_chunk(), event(1, "{}"));
}

BOOST_AUTO_TEST_CASE(a_quiet_reader_costs_little_memory, *boost::unit_test::enable_if<memory_is_freed>()) {
  serving here;
  const std::string first(30'000, 'x'); // whatever it has needed once, it doesn't keep
  const auto resident = [] {
    std::size_t all = 0;
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> all >> pages;
    return pages * 4096;
  };
  constexpr std::size_t readers = 400;
  std::deque<client> quiet;
  std::size_t before = 0;
  for (std::size_t i = 0; i < 2 * readers; ++i) {
    if (i == readers) // by now all that doesn't grow with the readers is there
      before = resident();
    client& one = quiet.emplace_back(here.port());
    one.send(ask_events);
    here.events.push(first);
    BOOST_REQUIRE_EQUAL(one.read_head().status, 200);
    BOOST_REQUIRE(here.events.wait_pulled((i + 1) * first.size()));
  }
  const std::size_t grown = resident() - std::min(before, resident());
  BOOST_TEST_MESSAGE("a reader costs " << grown / readers << " bytes, with its client");
  BOOST_CHECK_LT(grown / readers, 20'000U);
}

BOOST_AUTO_TEST_SUITE_END()
