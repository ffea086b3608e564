// TLS: an authority that is trusted and a name that fits, or nothing.
#include "providers/anthropic/format.hpp"
#include "providers/handshake_gate.hpp"
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

BOOST_AUTO_TEST_CASE(a_certificate_that_does_not_prove_the_host_is_refused_and_the_reason_told) {
  identity leaf("localhost", "DNS:localhost", &authority);
  identity other("elsewhere", "DNS:elsewhere.example", &authority);
  identity old("localhost", "DNS:localhost", &authority, -60);
  identity self("localhost", "DNS:localhost");
  tls_server good(leaf, answer()), wrong(other, answer()), expired(old, answer()), lonely(self, answer());
  auto trusted = authority.save();
  auto refuses = [](const std::unique_ptr<provider>& asked, std::string_view words) {
    auto end = run(*asked);
    BOOST_REQUIRE(end.error.has_value());
    BOOST_TEST(end.error->code == "network");
    BOOST_TEST(end.error->message.find("certificate verify failed") != std::string::npos, end.error->message);
    BOOST_TEST(end.error->message.find(words) != std::string::npos, end.error->message);
  };
  refuses(provider_of(good, "localhost", stranger.save()), "unable to get local issuer certificate");
  refuses(provider_of(good, "localhost", ""), "unable to get local issuer certificate"); // the system's
  refuses(provider_of(wrong, "localhost", trusted), "it isn't for the host localhost");
  refuses(provider_of(good, "127.0.0.1", trusted), "it isn't for the host 127.0.0.1");
  refuses(provider_of(expired, "localhost", trusted), "certificate has expired");
  refuses(provider_of(lonely, "localhost", trusted), "self-signed certificate");
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

namespace {

/// Takes the first words of every client's handshake and never answers.
struct silent_server {
  std::mutex mutex;
  std::condition_variable changed;
  int begun = 0;
  raw_server server{[this](raw_connection& from, int) {
    if (!from.left_within(patience)) // says something, or leaves
      return;
    char first = 0;
    if (::recv(from.descriptor(), &first, 1, MSG_PEEK) == 1) {
      std::lock_guard guard(mutex);
      ++begun;
      changed.notify_all();
    }
    from.wait_closed();
  }};

  bool wait_for(int count) {
    std::unique_lock guard(mutex);
    return changed.wait_for(guard, patience, [&] { return begun >= count; });
  }
  int so_far() {
    std::lock_guard guard(mutex);
    return begun;
  }
};

std::unique_ptr<provider> provider_of(
    const silent_server& silent, std::chrono::milliseconds connect_timeout) {
  http_provider_settings settings;
  settings.base_url = "https://127.0.0.1:" + std::to_string(silent.server.port());
  settings.connect_timeout = connect_timeout;
  return anthropic::make_provider(std::move(settings));
}

} // namespace

BOOST_AUTO_TEST_CASE(only_so_many_handshakes_are_under_way_at_once_and_the_rest_waits_its_turn) {
  constexpr int more = 8;
  constexpr int most = static_cast<int>(tls_handshakes_max);
  silent_server silent;
  auto asked = provider_of(silent, std::chrono::minutes(1));
  std::vector<std::unique_ptr<collector>> all;
  std::vector<std::shared_ptr<attempt>> attempts;
  for (int i = 0; i < most + more; ++i) {
    all.push_back(std::make_unique<collector>());
    attempts.push_back(asked->start(ask("hi"), all.back()->sink()));
    all.back()->follow(attempts.back());
  }
  BOOST_REQUIRE(silent.wait_for(most));
  // one that waits can be called off as well as one under way, and then never begins
  attempts.back()->cancel();
  BOOST_TEST((all.back()->finished().state == inference_state::cancelled));
  for (int ended = 0; ended < more - 1; ++ended) {
    BOOST_TEST(silent.so_far() <= most + ended);
    attempts[static_cast<std::size_t>(ended)]->cancel();
    BOOST_TEST((all[static_cast<std::size_t>(ended)]->finished().state == inference_state::cancelled));
    BOOST_REQUIRE(silent.wait_for(most + ended + 1));
  }
  asked.reset(); // ends the others
  for (auto& one : all)
    BOOST_TEST((one->finished().state == inference_state::cancelled));
  BOOST_TEST(silent.so_far() == most + more - 1);
}

BOOST_AUTO_TEST_CASE(what_waits_for_its_handshake_ends_in_time) {
  silent_server silent;
  auto asked = provider_of(silent, std::chrono::milliseconds(200));
  std::vector<std::unique_ptr<collector>> all;
  for (std::size_t i = 0; i < tls_handshakes_max + 4; ++i) {
    all.push_back(std::make_unique<collector>());
    all.back()->follow(asked->start(ask("hi"), all.back()->sink()));
  }
  for (auto& one : all)
    BOOST_TEST(one->finished().error->code == "timeout");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers
