// The corpus of requests that break a rule: each is refused by its name, and the server serves on.
#include "messages/json.hpp"
#include "tests/gateway/corpus.hpp"
#include "tests/gateway/serving.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::gateway;
using namespace troupe::gateway::testing;

BOOST_AUTO_TEST_SUITE(malformed)

namespace {

bool serves(const serving& here) { return client(here.port()).get("/healthz").status == 200; }

void check_refused(const broken_request& one, const received& got) {
  BOOST_CHECK_EQUAL(got.status, one.status());
  BOOST_CHECK(got.has("content-type", "application/problem+json"));
  const auto document = json::parse(got.body);
  BOOST_REQUIRE(document);
  BOOST_REQUIRE(document->find("type"));
  BOOST_CHECK(document->find("type")->as_string().starts_with("urn:troupe:error:"));
  BOOST_CHECK(document->find("status")->as_int64() == one.status());
  BOOST_CHECK(!document->find("detail")->as_string().empty());
}

} // namespace

BOOST_AUTO_TEST_CASE(each_is_refused_with_its_status_and_a_problem_document) {
  const serving here;
  const auto all = corpus();
  BOOST_REQUIRE_GT(all.size(), 100U);
  for (const broken_request& one : all) {
    if (one.is_cut())
      continue;
    BOOST_TEST_CONTEXT(one.name) {
      client here_now(here.port());
      here_now.send(one.bytes); // may be refused before it is sent
      check_refused(one, here_now.read_answer());
    }
  }
  BOOST_CHECK(serves(here));
}

BOOST_AUTO_TEST_CASE(what_never_gets_whole_is_ended_by_its_time) {
  bounds limits;
  limits.head_timeout = limits.body_timeout = std::chrono::milliseconds(50);
  const serving here(limits);
  for (const broken_request& one : corpus()) {
    if (!one.is_cut())
      continue;
    BOOST_TEST_CONTEXT(one.name) {
      client here_now(here.port());
      here_now.send(one.bytes);
      check_refused(one, here_now.read_answer());
      BOOST_CHECK_EQUAL(here_now.read_all(), "");
    }
  }
}

BOOST_AUTO_TEST_CASE(each_is_refused_the_same_when_it_comes_byte_by_byte) {
  const serving here;
  for (const broken_request& one : corpus()) {
    if (one.is_cut() || one.bytes.size() > 1000)
      continue;
    BOOST_TEST_CONTEXT(one.name) {
      client here_now(here.port());
      for (const char c : one.bytes)
        if (!here_now.send({&c, 1}))
          break;
      check_refused(one, here_now.read_answer());
    }
  }
}

BOOST_AUTO_TEST_CASE(each_may_end_anywhere) {
  bounds limits;
  limits.linger = std::chrono::milliseconds(20);
  const serving here(limits);
  for (const broken_request& one : corpus()) {
    const std::size_t step = one.bytes.size() < 300 ? 7 : one.bytes.size() / 20;
    for (std::size_t cut = 0; cut < one.bytes.size(); cut += step) {
      client here_now(here.port());
      here_now.send(std::string_view(one.bytes).substr(0, cut));
      here_now.send_no_more();
      const std::string got = here_now.read_all();
      BOOST_TEST_CONTEXT(one.name << " up to " << cut)
      BOOST_CHECK(got.empty() || got.starts_with("HTTP/1.1 "));
    }
  }
  BOOST_CHECK(serves(here));
}

BOOST_AUTO_TEST_CASE(a_chunked_body_is_the_same_wherever_it_is_cut) {
  const serving here;
  const std::string bytes = "POST /v1/things HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                            "3;a=b\r\n{\"n\r\n0000a\r\name\":\"ab\"}\r\n0\r\nTrailer: x\r\n\r\n";
  client one(here.port());
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    one.send(std::string_view(bytes).substr(0, cut));
    const received got = one.ask(std::string_view(bytes).substr(cut));
    BOOST_TEST_CONTEXT("cut at " << cut) {
      BOOST_CHECK_EQUAL(got.status, 201);
      BOOST_CHECK_EQUAL(got.body, R"({"name":"ab"})");
    }
  }
}

BOOST_AUTO_TEST_CASE(an_empty_chunked_body_is_none_wherever_it_is_cut) {
  const serving here;
  const std::string bytes =
      "DELETE /v1/things/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  client one(here.port());
  for (std::size_t cut = bytes.size() - 8; cut < bytes.size(); ++cut) {
    one.send(std::string_view(bytes).substr(0, cut));
    BOOST_CHECK_EQUAL(one.ask(std::string_view(bytes).substr(cut)).status, 204);
  }
}

BOOST_AUTO_TEST_SUITE_END()
