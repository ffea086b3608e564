// TLS: an authority that is trusted and a name that fits, or nothing.
#include "providers/anthropic/format.hpp"
#include "tests/providers/anthropic/transcripts.hpp"
#include "tests/providers/collector.hpp"
#include "tests/providers/tls_server.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::providers {

using namespace testing;

BOOST_AUTO_TEST_SUITE(tls)

namespace {

const identity authority("Test Authority");
const identity stranger("Another Authority");

std::string answer() {
  auto body = thinking_and_call();
  return "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: "
      + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::unique_ptr<provider> provider_of(
    const tls_server& server, const std::string& host, const std::string& ca_file) {
  http_provider_settings settings;
  settings.base_url = "https://" + host + ":" + std::to_string(server.port());
  settings.tls.ca_file = ca_file;
  return anthropic::make_provider(std::move(settings));
}

attempt_finished run(provider& asked) {
  collector got;
  got.follow(asked.start(ask("hi"), got.sink()));
  return got.finished();
}

} // namespace

BOOST_AUTO_TEST_CASE(a_trusted_server_is_talked_to_and_its_connection_kept) {
  identity leaf("localhost", "DNS:localhost,IP:127.0.0.1", &authority);
  tls_server server(leaf, answer());
  for (const std::string host : {"localhost", "127.0.0.1"}) {
    auto provider = provider_of(server, host, authority.save());
    auto before = server.accepted();
    for (int i = 0; i < 3; ++i) {
      auto end = run(*provider);
      BOOST_TEST((end.state == inference_state::completed), (end.error ? end.error->message : ""));
    }
    BOOST_TEST(server.accepted() == before + 1);
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_authority_and_a_wrong_name_are_refused) {
  identity leaf("localhost", "DNS:localhost", &authority);
  identity other("elsewhere", "DNS:elsewhere.example", &authority);
  tls_server good(leaf, answer());
  tls_server wrong(other, answer());
  for (auto& provider : {provider_of(good, "localhost", stranger.save()), provider_of(good, "localhost", ""),
           provider_of(wrong, "localhost", authority.save()),
           provider_of(good, "127.0.0.1", authority.save())}) {
    auto end = run(*provider);
    BOOST_REQUIRE(end.error.has_value());
    BOOST_TEST(end.error->code == "network");
    BOOST_TEST(end.error->message.find("certificate verify failed") != std::string::npos, end.error->message);
  }
}

BOOST_AUTO_TEST_CASE(anchors_that_cannot_be_read_and_a_server_without_tls) {
  identity leaf("localhost", "DNS:localhost", &authority);
  tls_server server(leaf, answer());
  BOOST_TEST(run(*provider_of(server, "localhost", "/nonexistent.pem")).error->code == "network");
  BOOST_TEST(server.accepted() <= 1);
  raw_server plain([](raw_connection& from, int) {
    from.write("HTTP/1.1 400 Bad Request\r\n\r\n");
    from.wait_closed();
  });
  http_provider_settings settings;
  settings.base_url = "https://127.0.0.1:" + std::to_string(plain.port());
  auto provider = anthropic::make_provider(std::move(settings));
  BOOST_TEST(run(*provider).error->code == "network");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers
