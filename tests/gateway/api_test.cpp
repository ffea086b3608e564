// What the table of routes promises: methods, callers, parameters, the OpenAPI document, events as lines.
#include "gateway/body.hpp"
#include "gateway/origin.hpp"
#include "gateway/problem_document.hpp"
#include "gateway/sse_writer.hpp"
#include "tests/gateway/plain_routes.hpp"
#include "tests/gateway/serving.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::gateway;
using namespace troupe::gateway::testing;

BOOST_AUTO_TEST_SUITE(api)

namespace {

/// Keeps the answers instead of a connection.
class answer_box final : public peer {
 public:
  void answer(std::uint64_t, response what) override { got = std::move(what); }
  void stream(std::uint64_t, response head, std::shared_ptr<stream_source>) override {
    got = std::move(head);
  }
  void when_gone(std::uint64_t, std::function<void()>) override {}
  bool draining() const override { return false; }
  response got;
};

response ask(const router& to, std::string method, std::string target) {
  auto box = std::make_shared<answer_box>();
  to(std::make_shared<exchange>(
      request{.method = std::move(method), .target = std::move(target), .headers = {}, .body = {}}, box, 1));
  return std::move(box->got);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_wrong_method_is_told_the_right_ones) {
  const serving here;
  client one(here.port());
  BOOST_CHECK(one.ask("PUT /v1/things HTTP/1.1\r\nHost: x\r\n\r\n").has("allow", "POST, GET, HEAD"));
  BOOST_CHECK(one.ask("POST /v1/things/a HTTP/1.1\r\nHost: x\r\n\r\n").has("allow", "GET, HEAD, DELETE"));
}

BOOST_AUTO_TEST_CASE(each_wrong_place_in_a_body_is_named) {
  const serving here;
  client one(here.port());
  const received got = one.post("/v1/things", R"({"name":5,"paint":"blue","tags":["x",1],"nmae":"x"})");
  BOOST_CHECK_EQUAL(got.status, 400);
  const auto document = json::parse(got.body);
  BOOST_REQUIRE(document);
  std::string pointers;
  for (const auto& each : document->find("errors")->items())
    pointers += each.find("pointer")->as_string() + " " + each.find("detail")->as_string() + "\n";
  BOOST_CHECK_EQUAL(pointers,
      "/name expected a string\n/paint expected one of `red`, `green`\n"
      "/tags/1 expected a string\n/nmae is not a field here\n");
}

BOOST_AUTO_TEST_CASE(a_wrong_parameter_is_told_with_its_bound) {
  const serving here;
  client one(here.port());
  const std::string body = one.get("/v1/things?limit=1001").body;
  BOOST_CHECK(
      body.find("`limit` is a whole number from 1 to 1000; it was \\\"1001\\\"") != std::string::npos);
  BOOST_CHECK(one.get("/v1/things?lmit=1").body.find("\\\"lmit\\\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_gate_is_asked_for_what_is_not_open_to_anyone) {
  router guarded(
      [](const std::shared_ptr<exchange>& one, scope, const std::function<void(caller)>& admitted) {
        one->asked().header("authorization")
            ? admitted({.tenant = "acme"})
            : void(one->answer(problem_document(refusal::unauthorized, "no key")));
      });
  add_plain_routes(guarded);
  BOOST_CHECK_EQUAL(ask(guarded, "GET", "/healthz").status, 200);
  BOOST_CHECK_EQUAL(ask(guarded, "GET", "/v1/things").status, 401);
  BOOST_CHECK_EQUAL(ask(guarded, "GET", "/v1/things?lmit=1").status, 401);
  BOOST_CHECK_EQUAL(ask(guarded, "GET", "/v2").status, 404);
}

BOOST_AUTO_TEST_CASE(the_openapi_document_lists_every_route) {
  const serving here;
  const received got = client(here.port()).get("/openapi.json");
  const auto document = json::parse(got.body);
  BOOST_REQUIRE(document);
  BOOST_CHECK_EQUAL(document->find("openapi")->as_string(), "3.1.0");
  BOOST_CHECK_EQUAL(document->find("info")->find("version")->as_string(), "1.2.3");
  const json::value& paths = *document->find("paths");
  BOOST_CHECK_EQUAL(paths.members().size(), 12U);
  const json::value* const post = paths.find("/v1/things")->find("post");
  BOOST_REQUIRE(post);
  const json::value& schema =
      *post->find("requestBody")->find("content")->find("application/json")->find("schema");
  BOOST_CHECK_EQUAL(schema.source(),
      R"({"type":"object","properties":{"name":{"type":"string"},"count":{"type":"integer"},"paint":{"type":"string","enum":["red","green"]},"tags":{"type":"array","items":{"type":"string"}},"anything":{}},"required":["name"],"additionalProperties":false})");
  const json::value& blob = *paths.find("/v1/things/{id}/blobs/{hash}")->find("get")->find("parameters");
  BOOST_REQUIRE_EQUAL(blob.items().size(), 2U);
  for (const json::value& each : blob.items())
    BOOST_CHECK_EQUAL(each.find("in")->as_string(), "path");
  BOOST_REQUIRE(paths.find("/openapi.json"));
  BOOST_CHECK(paths.find("/healthz")->find("get")->find("security")->items().empty());
}

BOOST_AUTO_TEST_CASE(the_schema_of_the_options_has_content_blocks_and_modes) {
  const std::string of_options = json_schema<options>();
  BOOST_CHECK(json::parse(of_options));
  const std::string schema = json_schema<content>();
  BOOST_CHECK(schema.find(R"({"type":{"const":"image"})") != std::string::npos);
  BOOST_CHECK(of_options.find(R"("one-at-a-time")") != std::string::npos);
  BOOST_CHECK(
      json_schema<options>().find(R"("required":[],"additionalProperties":false})") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_event_is_framed_line_by_line) {
  std::string out;
  append_event(out, std::nullopt, "delta\nid: 9", "a\nb\r\nc\rd");
  BOOST_CHECK_EQUAL(out, "event: delta\ndata: a\ndata: b\ndata: c\ndata: d\n\n");
  out.clear();
  append_event(out, 17, "x", "");
  BOOST_CHECK_EQUAL(out, "id: 17\nevent: x\ndata: \n\n");
}

BOOST_AUTO_TEST_CASE(a_header_value_can_not_add_a_field) {
  const response what = json_answer("{}").with("x", "a\r\nset-cookie: b");
  BOOST_CHECK(head_of(what, framing::length, "", true).find("x: a  set-cookie: b\r\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(streams_are_asked_for_by_their_type) {
  const auto accepts = [](std::string value) {
    return request{.method = "GET", .target = "/", .headers = {{"accept", std::move(value)}}, .body = {}}
        .accepts_event_stream();
  };
  BOOST_CHECK(accepts("text/event-stream"));
  BOOST_CHECK(accepts("application/json, Text/Event-Stream;q=0.9"));
  BOOST_CHECK(!accepts("*/*"));
  BOOST_CHECK(!accepts("text/event-stream-x"));
}

BOOST_AUTO_TEST_CASE(pages_of_other_origins_are_told_apart) {
  const auto with = [](std::vector<header_field> headers) {
    return request{.method = "GET", .target = "/", .headers = std::move(headers), .body = {}};
  };
  const header_field host{"host", "127.0.0.1:8420"};
  BOOST_CHECK(!is_cross_origin(with({host})));
  BOOST_CHECK(!is_cross_origin(with({host, {"origin", "http://127.0.0.1:8420"}})));
  BOOST_CHECK(is_cross_origin(with({host, {"origin", "http://127.0.0.1:9999"}})));
  BOOST_CHECK(is_cross_origin(with({host, {"origin", "https://evil.example"}})));
  BOOST_CHECK(is_cross_origin(with({host, {"origin", "null"}})));
  BOOST_CHECK(is_cross_origin(with({host, {"sec-fetch-site", "cross-site"}})));
  BOOST_CHECK(!is_cross_origin(with({host, {"sec-fetch-site", "none"}})));
}

BOOST_AUTO_TEST_CASE(only_names_of_this_machine_are_loopback) {
  const auto loopback = [](std::string host) {
    return names_loopback(
        {.method = "GET", .target = "/", .headers = {{"host", std::move(host)}}, .body = {}});
  };
  for (const char* const host :
      {"localhost", "LocalHost:8420", "127.0.0.1:8420", "127.1.2.3", "[::1]", "[::1]:8420"})
    BOOST_TEST_CONTEXT(host) BOOST_CHECK(loopback(host));
  for (const char* const host :
      {"", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "[::2]", "["})
    BOOST_TEST_CONTEXT(host) BOOST_CHECK(!loopback(host));
}

BOOST_AUTO_TEST_SUITE_END()
