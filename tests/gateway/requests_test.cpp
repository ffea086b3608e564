// HTTP as clients speak it: keep-alive, pipelining, HEAD, Expect, answers that come later or never.
#include "tests/gateway/serving.hpp"

#include <thread>

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::gateway;
using namespace troupe::gateway::testing;

BOOST_AUTO_TEST_SUITE(requests)

BOOST_AUTO_TEST_CASE(one_connection_takes_many_requests) {
  const serving here;
  client one(here.port());
  for (int i = 0; i < 100; ++i)
    BOOST_REQUIRE_EQUAL(one.get("/healthz").body, R"({"ok":true})");
  BOOST_CHECK_EQUAL(one.post("/v1/things", R"({"name":"ä \"b\""})").body, R"({"name":"ä \"b\""})");
}

BOOST_AUTO_TEST_CASE(pipelined_requests_are_answered_in_order) {
  const serving here;
  client one(here.port());
  std::string all;
  for (int i = 0; i < 200; ++i)
    all += "GET /v1/things/t" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
  one.send(all);
  for (int i = 0; i < 200; ++i)
    BOOST_REQUIRE_EQUAL(one.read_answer().body, "\"t" + std::to_string(i) + "\"");
}

BOOST_AUTO_TEST_CASE(what_is_pipelined_behind_an_open_request_waits_for_it) {
  serving here;
  client one(here.port());
  one.send("GET /v1/later HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  auto later = here.take_later();
  BOOST_REQUIRE(later);
  BOOST_CHECK(later->answer(json_answer("1")));
  BOOST_CHECK_EQUAL(one.read_answer().body, "1");
  BOOST_CHECK_EQUAL(one.read_answer().body, R"({"ok":true})");
}

BOOST_AUTO_TEST_CASE(a_flood_behind_an_open_request_is_not_read) {
  serving here;
  client one(here.port());
  one.send("GET /v1/later HTTP/1.1\r\nHost: x\r\n\r\n");
  auto later = here.take_later();
  std::thread flood([&] {
    const std::string more(std::size_t{1} << 20, '\n');
    while (one.send(more))
      ;
  });
  client other(here.port());
  for (int i = 0; i < 200; ++i)
    BOOST_REQUIRE_EQUAL(other.get("/healthz").status, 200);
  later->answer(json_answer("1"));
  BOOST_CHECK_EQUAL(one.read_answer().body, "1");
  BOOST_CHECK_EQUAL(one.read_answer().status, 400);
  flood.join();
}

BOOST_AUTO_TEST_CASE(head_has_the_length_and_no_body) {
  const serving here;
  client one(here.port());
  one.send("HEAD /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  const received got = one.read_answer(true);
  BOOST_CHECK_EQUAL(got.status, 200);
  BOOST_CHECK(got.has("content-length", "11"));
  BOOST_CHECK_EQUAL(one.get("/healthz").status, 200);
}

BOOST_AUTO_TEST_CASE(no_content_has_neither_body_nor_length) {
  const serving here;
  client one(here.port());
  const received got = one.ask("DELETE /v1/things/a HTTP/1.1\r\nHost: x\r\n\r\n");
  BOOST_CHECK_EQUAL(got.status, 204);
  BOOST_CHECK(!got.headers.contains("content-length"));
  BOOST_CHECK_EQUAL(one.get("/healthz").status, 200);
}

BOOST_AUTO_TEST_CASE(who_waits_for_an_invitation_gets_one) {
  const serving here;
  client one(here.port());
  one.send("POST /v1/things HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 12\r\n\r\n");
  BOOST_CHECK_EQUAL(one.read_to("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  BOOST_CHECK_EQUAL(one.ask(R"({"name":"a"})").status, 201);
}

BOOST_AUTO_TEST_CASE(who_asks_for_too_much_is_not_invited) {
  const serving here;
  client one(here.port());
  const received got = one.ask(
      "POST /v1/things HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 33554433\r\n\r\n");
  BOOST_CHECK_EQUAL(got.status, 413);
  BOOST_CHECK(got.has("connection", "close"));
}

BOOST_AUTO_TEST_CASE(the_refusal_of_a_big_body_reaches_a_client_that_is_still_sending) {
  bounds limits;
  limits.body_bytes_max = 1000;
  const serving here(limits);
  client one(here.port());
  one.send("POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n");
  one.send(std::string(3'000'000, ' '));
  BOOST_CHECK_EQUAL(one.read_answer().status, 413);
}

BOOST_AUTO_TEST_CASE(bodies_up_to_the_bound_are_taken) {
  const serving here;
  client one(here.port());
  const std::string name((std::size_t{32} << 20) - 11, 'n');
  const received got = one.post("/v1/things", R"({"name":")" + name + "\"}");
  BOOST_CHECK_EQUAL(got.status, 201);
  BOOST_CHECK_EQUAL(got.body.size(), std::size_t{32} << 20);
}

BOOST_AUTO_TEST_CASE(all_bodies_in_memory_have_a_bound_together) {
  bounds limits;
  limits.bodies_bytes_max = 100'000;
  serving here(limits);
  const std::string body = R"({"name":")" + std::string(60000, 'n') + "\"}";
  client first(here.port());
  first.send("POST /v1/later HTTP/1.1\r\nHost: x\r\nContent-Length: 60011\r\n\r\n" + body);
  auto later = here.take_later();
  BOOST_CHECK_EQUAL(client(here.port()).post("/v1/things", body).status, 503);
  later->answer(no_content());
  BOOST_CHECK_EQUAL(first.read_answer().status, 204);
  BOOST_CHECK_EQUAL(client(here.port()).post("/v1/things", body).status, 201);
}

BOOST_AUTO_TEST_CASE(http_1_0_is_answered_and_closed) {
  const serving here;
  client one(here.port());
  one.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const std::string got = one.read_all();
  BOOST_CHECK(got.starts_with("HTTP/1.1 200 OK\r\n"));
  BOOST_CHECK(got.find("connection: close\r\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(who_asks_to_close_is_closed) {
  const serving here;
  client one(here.port());
  one.send("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  BOOST_CHECK_EQUAL(one.read_answer().status, 200);
  BOOST_CHECK_EQUAL(one.read_all(), "");
}

BOOST_AUTO_TEST_CASE(a_target_may_name_the_server_too) {
  const serving here;
  client one(here.port());
  BOOST_CHECK_EQUAL(one.get("http://somewhere:80/v1/things/a%2Db").body, "\"a-b\"");
  BOOST_CHECK_EQUAL(
      one.get("/v1/things?limit=7&type=a+b%2B").body, R"({"limit":7,"type":"a b+","follow":true})");
  BOOST_CHECK_EQUAL(one.get("/console/").body, "\"\"");
  BOOST_CHECK_EQUAL(one.get("/console/css/a.css").body, "\"css/a.css\"");
}

BOOST_AUTO_TEST_CASE(empty_lines_before_a_request_are_passed_over) {
  const serving here;
  client one(here.port());
  BOOST_CHECK_EQUAL(one.ask("\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
}

BOOST_AUTO_TEST_CASE(a_client_that_has_closed_its_half_still_gets_its_answer) {
  serving here;
  client one(here.port());
  one.send("GET /v1/later HTTP/1.1\r\nHost: x\r\n\r\n");
  auto later = here.take_later();
  one.send_no_more();
  BOOST_CHECK(here.wait_gone());
  later->answer(json_answer("1"));
  BOOST_CHECK_EQUAL(one.read_answer().body, "1");
  BOOST_CHECK_EQUAL(one.read_all(), "");
}

BOOST_AUTO_TEST_CASE(whoever_owes_an_answer_hears_that_the_client_left) {
  serving here;
  std::shared_ptr<exchange> later;
  {
    client one(here.port());
    one.send("GET /v1/later HTTP/1.1\r\nHost: x\r\n\r\n");
    later = here.take_later();
  }
  BOOST_CHECK(here.wait_gone());
  BOOST_CHECK(later->answer(json_answer("1")));
}

BOOST_AUTO_TEST_CASE(only_the_first_answer_counts) {
  serving here;
  client one(here.port());
  one.send("GET /v1/later HTTP/1.1\r\nHost: x\r\n\r\n");
  auto later = here.take_later();
  BOOST_CHECK(later->answer(json_answer("1")));
  BOOST_CHECK(!later->answer(json_answer("2")));
  BOOST_CHECK_EQUAL(one.read_answer().body, "1");
  BOOST_CHECK_EQUAL(one.get("/healthz").body, R"({"ok":true})");
}

BOOST_AUTO_TEST_CASE(an_answer_that_never_comes_is_ended_by_its_time) {
  bounds limits;
  limits.answer_timeout = std::chrono::milliseconds(50);
  serving here(limits);
  client one(here.port());
  one.send("GET /v1/later HTTP/1.1\r\nHost: x\r\n\r\n");
  auto later = here.take_later();
  BOOST_CHECK_EQUAL(one.read_answer().status, 504);
  BOOST_CHECK(here.wait_gone());
  later->answer(json_answer("1"));
  BOOST_CHECK_EQUAL(one.get("/healthz").body, R"({"ok":true})");
}

BOOST_AUTO_TEST_CASE(a_fault_of_ours_tells_nothing_of_the_inside) {
  const serving here;
  client one(here.port());
  const received got = one.get("/v1/failed");
  BOOST_CHECK_EQUAL(got.status, 500);
  BOOST_CHECK(got.body.find("secret") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_big_answer_arrives_whole) {
  const serving here;
  client one(here.port(), 4096);
  BOOST_CHECK_EQUAL(one.get("/v1/big?bytes=20000000").body.size(), 20'000'002U);
}

BOOST_AUTO_TEST_CASE(a_client_that_takes_nothing_is_let_go) {
  bounds limits;
  limits.stall_timeout = std::chrono::milliseconds(50);
  serving here(limits);
  client one(here.port(), 4096);
  one.send("GET /v1/big?bytes=50000000 HTTP/1.1\r\nHost: x\r\n\r\n");
  BOOST_CHECK(here.server().wait_connections(0, std::chrono::seconds(20)));
}

BOOST_AUTO_TEST_CASE(idle_connections_end_by_their_time) {
  bounds limits;
  limits.idle_timeout = std::chrono::milliseconds(50);
  const serving here(limits);
  client never(here.port());
  client after_one(here.port());
  BOOST_CHECK_EQUAL(after_one.get("/healthz").status, 200);
  BOOST_CHECK_EQUAL(never.read_all(), "");
  BOOST_CHECK_EQUAL(after_one.read_all(), "");
}

BOOST_AUTO_TEST_CASE(beyond_the_connections_there_may_be_one_is_turned_away) {
  bounds limits;
  limits.connections_max = 2;
  serving here(limits);
  {
    client first(here.port());
    client second(here.port());
    BOOST_CHECK_EQUAL(first.get("/healthz").status, 200);
    BOOST_CHECK_EQUAL(second.get("/healthz").status, 200);
    client third(here.port());
    const received got = third.read_answer();
    BOOST_CHECK_EQUAL(got.status, 503);
    BOOST_CHECK(got.headers.contains("retry-after"));
  }
  BOOST_REQUIRE(here.server().wait_connections(0, std::chrono::seconds(20)));
  BOOST_CHECK_EQUAL(client(here.port()).get("/healthz").status, 200);
}

BOOST_AUTO_TEST_SUITE_END()
