// The HTTP provider's own part: addresses, keys, content types, and what never gets into a message.
#include "providers/anthropic/format.hpp"
#include "tests/providers/anthropic/transcripts.hpp"
#include "tests/providers/collector.hpp"
#include "tests/providers/raw_server.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>

namespace troupe::providers {

using namespace testing;

BOOST_AUTO_TEST_SUITE(http_providers)

namespace {

constexpr const char* canary = "sk-canary-0123456789";

attempt_finished run(const std::string& answer, collector& got, std::string* request = nullptr,
    std::function<void(http_provider_settings&)> tune = {}) {
  raw_server server([&](raw_connection& from, int) {
    auto seen = from.read_request();
    if (request != nullptr)
      *request = seen;
    from.write(answer);
    from.shut();
  });
  http_provider_settings settings;
  settings.name = "test";
  settings.base_url = "http://127.0.0.1:" + std::to_string(server.port()) + "/base/";
  settings.credentials.api_key = secret(canary);
  if (tune)
    tune(settings);
  auto provider = anthropic::make_provider(std::move(settings));
  got.follow(provider->start(ask("hi"), got.sink()));
  return got.finished();
}

std::string stream(const std::string& body) {
  return "HTTP/1.1 200 OK\r\ncontent-type: Text/Event-Stream; charset=utf-8\r\n\r\n" + body;
}

std::string with_length(const std::string& status, const std::string& type, const std::string& body) {
  return "HTTP/1.1 " + status + "\r\ncontent-type: " + type
      + "\r\ncontent-length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

} // namespace

BOOST_AUTO_TEST_CASE(base_urls) {
  auto plain = parse_base_url("https://api.anthropic.com").value();
  BOOST_TEST(plain.to.host == "api.anthropic.com");
  BOOST_TEST(plain.to.port == 443);
  BOOST_TEST(plain.to.tls);
  BOOST_TEST(plain.path.empty());
  auto other = parse_base_url("http://[::1]:8080/a/b//").value();
  BOOST_TEST(other.to.host == "::1");
  BOOST_TEST(other.to.port == 8080);
  BOOST_TEST(other.path == "/a/b");
  for (const auto* bad : {"", "api.anthropic.com", "ftp://x", "http://", "http://x?a=1", "http://x#a",
           "http://x:99999", "http://x:0"})
    BOOST_TEST(!parse_base_url(bad), bad);
  auto leaked = parse_base_url("https://user:sk-canary@x");
  BOOST_REQUIRE(!leaked);
  BOOST_TEST(leaked.error().detail.find("sk-canary") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_stream_and_its_request) {
  collector got;
  std::string request;
  auto end = run(stream(thinking_and_call()), got, &request);
  BOOST_TEST((end.state == inference_state::completed));
  BOOST_TEST(got.blocks().size() == 2U);
  BOOST_TEST(request.starts_with("POST /base/v1/messages HTTP/1.1\r\n"));
  BOOST_TEST(request.find("\r\nx-api-key: sk-canary-0123456789\r\n") != std::string::npos);
  BOOST_TEST(request.find("\r\nanthropic-version: 2023-06-01\r\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_frame_or_an_answer_over_the_configured_bound_is_a_failure_that_names_it) {
  const auto within = [](std::size_t bytes) {
    return [bytes](http_provider_settings& settings) { settings.frame_bytes_max = bytes; };
  };
  collector streamed;
  auto end = run(stream(thinking_and_call()), streamed, nullptr, within(64));
  BOOST_REQUIRE(end.error.has_value());
  BOOST_TEST(
      end.error->message.find("over 64 bytes (frame_bytes_max)") != std::string::npos, end.error->message);
  const auto whole = with_length(
      "200 OK", "application/json", R"({"content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn"})");
  collector at_once;
  end = run(whole, at_once, nullptr, within(60));
  BOOST_REQUIRE(end.error.has_value());
  BOOST_TEST(
      end.error->message.find("over 60 bytes (frame_bytes_max)") != std::string::npos, end.error->message);
}

BOOST_AUTO_TEST_CASE(an_answer_as_one_object) {
  collector got;
  auto end = run(with_length("200 OK", "application/json",
                     R"({"content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn"})"),
      got);
  BOOST_TEST((end.state == inference_state::completed));
  BOOST_TEST(std::get<text_block>(got.blocks().at(0)).text.text == "hi");
}

BOOST_AUTO_TEST_CASE(a_page_instead_of_a_stream) {
  collector got;
  auto end = run(with_length("200 OK", "text/html", "<html>Please log in</html>"), got);
  BOOST_TEST(end.error->code == "network");
  BOOST_TEST(end.error->message.find("Please log in") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_answer_that_ends_without_framing_but_with_its_stop_is_whole) {
  collector cut;
  BOOST_TEST(
      (run("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\nffff\r\n"
               + thinking_and_call(),
           cut)
              .state
          == inference_state::completed));
  collector half;
  auto end =
      run("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\nffff\r\n"
              + started() + text_start(0) + text_delta(0, "The"),
          half);
  BOOST_TEST(end.error->code == "network");
  BOOST_TEST(end.error->retryable);
  BOOST_TEST(half.text() == "The");
  BOOST_TEST(half.blocks().empty());
}

BOOST_AUTO_TEST_CASE(redirects_are_refused) {
  collector got;
  auto end = run("HTTP/1.1 302 Found\r\nlocation: http://elsewhere/\r\ncontent-length: 0\r\n\r\n", got);
  BOOST_TEST(end.error->status.value() == 302);
  BOOST_TEST(end.error->message.find("http://elsewhere/") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_error_names_the_provider_that_it_is_of) {
  const auto named = [](http_provider_settings& settings) { settings.name = "harbour"; };
  for (const std::string& answer : {with_length("500 Oops", "text/plain", "its own fault"),
           std::string("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 9\r\n\r\n:")}) {
    collector got;
    const auto end = run(answer, got, nullptr, named);
    BOOST_TEST(end.error->message.find("harbour") != std::string::npos, end.error->message);
  }
}

BOOST_AUTO_TEST_CASE(an_answer_that_is_compressed_against_the_request_is_a_clear_error) {
  for (std::string status : {"200 OK", "500 Oops"}) {
    collector got;
    std::string request;
    auto end = run("HTTP/1.1 " + status
            + "\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip\r\nretry-after: 3\r\n"
              "content-length: 3\r\n\r\n\x1f\x8b\x08",
        got, &request);
    BOOST_TEST(request.find("\r\naccept-encoding: identity\r\n") != std::string::npos);
    BOOST_TEST(end.error->message.find("content-encoding gzip") != std::string::npos, end.error->message);
    BOOST_TEST(end.error->retryable == status.starts_with("500"));
    BOOST_TEST(end.retry_after_ms.has_value() == status.starts_with("500"));
  }
}

BOOST_AUTO_TEST_CASE(a_key_that_is_echoed_does_not_get_into_a_message) {
  for (const auto& answer :
      {with_length("401 Unauthorized", "application/json",
           std::string(R"({"error":{"type":"authentication_error","message":"bad key )") + canary + "\"}}"),
          with_length("500 Oops", "text/plain", std::string("x-api-key: ") + canary),
          with_length("200 OK", "text/html", canary),
          stream(std::string("data: {oops ") + canary + "\n\n")}) {
    collector got;
    auto end = run(answer, got);
    BOOST_REQUIRE(end.error.has_value());
    BOOST_TEST(end.error->message.find("canary") == std::string::npos, end.error->message);
    BOOST_TEST(end.error->message.find("[redacted]") != std::string::npos, end.error->message);
  }
}

BOOST_AUTO_TEST_CASE(keys_come_from_the_environment_or_a_file_for_each_inference) {
  std::optional<std::string> variable = " from-env \n";
  auto environment = [&](const char* name) {
    return variable && std::string_view(name) == "TROUPE_TEST_KEY" ? variable->c_str() : nullptr;
  };
  collector by_env;
  std::string request;
  auto from_env = [&](http_provider_settings& settings) {
    settings.credentials = {secret(), "TROUPE_TEST_KEY", "", environment};
  };
  run(stream(thinking_and_call()), by_env, &request, from_env);
  BOOST_TEST(request.find("x-api-key: from-env\r\n") != std::string::npos);
  variable.reset();
  collector none;
  auto end = run("", none, nullptr, from_env);
  BOOST_TEST(end.error->code == "invalid_request");
  BOOST_TEST(end.error->message.find("TROUPE_TEST_KEY") != std::string::npos);

  auto path =
      (std::filesystem::temp_directory_path() / ("troupe-key-" + std::to_string(::getpid()))).string();
  std::ofstream(path) << "from-file\n";
  collector by_file;
  auto from_file = [&](http_provider_settings& settings) {
    settings.credentials.api_key = secret();
    settings.credentials.api_key_file = path;
  };
  run(stream(thinking_and_call()), by_file, &request, from_file);
  BOOST_TEST(request.find("x-api-key: from-file\r\n") != std::string::npos);
  std::filesystem::remove(path);
  collector missing;
  BOOST_TEST(run("", missing, nullptr, from_file).error->message.find(path) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_sent_ends_the_attempt) {
  http_provider_settings settings;
  settings.name = "test";
  settings.base_url = "nonsense";
  auto provider = anthropic::make_provider(settings);
  collector got;
  got.follow(provider->start(ask("hi"), got.sink()));
  BOOST_TEST(got.finished().error->message.find("nonsense") != std::string::npos);
  collector empty;
  empty.follow(provider->start({}, empty.sink()));
  BOOST_TEST((empty.finished().state == inference_state::error));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers
