// The end of a server: what is under way gets its answer, what is new is told to go elsewhere.
#include "tests/gateway/serving.hpp"

#include <future>

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::gateway;
using namespace troupe::gateway::testing;

namespace {
constexpr std::chrono::seconds patience{20};
}

BOOST_AUTO_TEST_SUITE(drain)

BOOST_AUTO_TEST_CASE(new_requests_are_refused_and_probes_are_not) {
  serving here;
  client kept(here.port());
  BOOST_CHECK_EQUAL(kept.get("/v1/things").status, 200);
  here.server().begin_drain();
  const received refused = kept.get("/v1/things");
  BOOST_CHECK_EQUAL(refused.status, 503);
  BOOST_CHECK(refused.headers.contains("retry-after"));
  BOOST_CHECK(refused.has("connection", "close"));
  BOOST_CHECK_EQUAL(kept.read_all(), "");
  const received probe = client(here.port()).get("/healthz");
  BOOST_CHECK_EQUAL(probe.status, 200);
  BOOST_CHECK(probe.has("connection", "close"));
}

BOOST_AUTO_TEST_CASE(what_is_under_way_gets_its_answer) {
  serving here;
  client busy(here.port());
  busy.send("GET /v1/later HTTP/1.1\r\nHost: x\r\n\r\n");
  auto later = here.take_later();
  client idle(here.port());
  BOOST_CHECK_EQUAL(idle.get("/healthz").status, 200);
  auto finished = std::async(std::launch::async, [&] { return here.server().finish(patience); });
  BOOST_CHECK_EQUAL(idle.read_all(), "");
  later->answer(json_answer("1"));
  const received got = busy.read_answer();
  BOOST_CHECK_EQUAL(got.body, "1");
  BOOST_CHECK(got.has("connection", "close"));
  busy.send_no_more();
  BOOST_CHECK(finished.get());
  BOOST_CHECK_THROW(client(here.port()), std::runtime_error);
}

BOOST_AUTO_TEST_CASE(streams_end_whole) {
  serving here;
  here.events.push("data: 1\n\n");
  client one(here.port());
  one.send("GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n");
  BOOST_CHECK_EQUAL(one.read_head().status, 200);
  BOOST_CHECK_EQUAL(one.read_chunk(), "data: 1\n\n");
  auto finished = std::async(std::launch::async, [&] { return here.server().finish(patience); });
  BOOST_CHECK_EQUAL(one.read_all(), "0\r\n\r\n");
  BOOST_CHECK(here.events.wait_released());
  one.send_no_more();
  BOOST_CHECK(finished.get());
}

BOOST_AUTO_TEST_CASE(an_answer_after_the_end_goes_nowhere) {
  std::shared_ptr<exchange> later;
  {
    serving here;
    client busy(here.port());
    busy.send("GET /v1/later HTTP/1.1\r\nHost: x\r\n\r\n");
    later = here.take_later();
    BOOST_CHECK(!here.server().finish(std::chrono::milliseconds(20)));
    here.stop();
    BOOST_CHECK_EQUAL(busy.read_all(), "");
    BOOST_CHECK(here.wait_gone());
  }
  BOOST_CHECK(later->answer(json_answer("1")));
  later.reset();
}

BOOST_AUTO_TEST_CASE(a_port_is_listened_on_once) {
  const serving here;
  const auto again = listener::start({.port = here.port(), .limits = {}}, [](const auto&) {});
  BOOST_REQUIRE(!again);
  BOOST_CHECK(again.error().code == problem_code::unavailable);
  const auto nowhere = listener::start({.host = "no address", .limits = {}}, [](const auto&) {});
  BOOST_REQUIRE(!nowhere);
  BOOST_CHECK(nowhere.error().code == problem_code::invalid_input);
}

BOOST_AUTO_TEST_SUITE_END()
