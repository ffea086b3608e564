// A model server that refuses, stalls, breaks off or talks nonsense: the session ends its turn with an
// error that says so, and goes on with the next message.
#include "tests/served/served.hpp"

#include "providers/anthropic/format.hpp"
#include "tests/providers/raw_server.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(troubled_providers)

namespace {

/// A server whose provider gives up on silence at once, with a gym of its own.
struct troubled {
  explicit troubled(const std::string& rules) {
    providers::gym::server_settings settings;
    settings.rules = must(providers::gym::script::parse(rules));
    gym = must(providers::gym::server::start(std::move(settings)));
    here.emplace(R"({"reply":[{"text":"Not this one."}]})", [this](actors::node_settings& of) {
      providers::http_provider_settings http;
      http.name = "away";
      http.base_url = gym->base_url();
      http.first_byte_timeout = http.idle_timeout = std::chrono::milliseconds(300);
      of.providers["away"] = {providers::anthropic::make_provider(std::move(http)), {"gym", "claude-gym"}, 1};
    });
  }
  std::unique_ptr<providers::gym::server> gym;
  std::optional<served> here;
};

struct trouble {
  std::string name;
  std::string steps; ///< of the answer
  std::string told;  ///< what the error says of it
};

} // namespace

BOOST_AUTO_TEST_CASE(whatever_a_provider_does_the_session_says_so_once_and_goes_on) {
  const trouble all[] = {
      {"a key that is refused",
          R"({"http_error":{"status":401,"type":"authentication_error","message":"invalid x-api-key"}})",
          "invalid x-api-key"},
      {"a limit that lasts too long",
          R"({"http_error":{"status":429,"message":"slow down","retry_after":61}})", "slow down"},
      {"a fault of the server", R"({"http_error":{"status":500,"message":"its own fault"}})",
          "its own fault"},
      {"no byte at all", R"({"hold":"never"},{"text":"x"})", "300 ms"},
      {"silence in the middle", R"({"text":"One "},{"hold":"never"},{"text":"two."})", "300 ms"},
      {"a cut before anything", R"({"disconnect":true})", "closed the connection"},
      {"a cut in the middle", R"({"text":"One "},{"disconnect":true})", "broke off"},
      {"garbage at the beginning", R"({"garbage":"event: message_start\ndata: {oops\n\n"},{"text":"One"})",
          ""},
      {"garbage in the middle", R"({"text":"One "},{"garbage":"data: {oops\n\n"},{"text":"two."})", ""},
      {"an error in the stream",
          R"({"text":"One "},{"stream_error":{"type":"overloaded_error","message":"too busy"}})", "too busy"},
  };
  for (const auto& one : all)
    BOOST_TEST_CONTEXT(one.name) {
      troubled with(R"({"times":1,"reply":[)" + one.steps + "]}\n" + R"({"reply":[{"text":"Fine."}]})");
      auto& here = *with.here;
      here.make("s", R"(,"provider":"away","max_retries":0)");
      here.say("s", "Hello");
      const auto failed = here.until_idle("s");
      BOOST_TEST(failed.at("status") == "idle");
      BOOST_TEST(failed.at("error/message") != "", failed.body);
      BOOST_TEST(failed.at("error").find(one.told) != std::string::npos, failed.at("error"));
      const auto notices = here.get("/v1/sessions/s/events?type=notice.added");
      BOOST_TEST(notices.size("events") == 1U, notices.body);
      BOOST_TEST(notices.at("events/0/data/text").starts_with("The last turn failed: "));
      here.say("s", "Again");
      const auto well = here.until_idle("s");
      BOOST_TEST(well.at("error") == "", well.body);
      BOOST_TEST(here.get("/v1/sessions/s/context").body.find("Fine.") != std::string::npos);
      BOOST_TEST(here.get("/v1/sessions/s/events?type=notice.added").size("events") == 1U);
      BOOST_TEST(here.play.wrong_with("s") == "");
    }
}

BOOST_AUTO_TEST_CASE(what_speaks_no_http_or_no_stream_is_an_error_and_another_provider_goes_on) {
  for (const std::string answer :
      {"SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\n\r\n",
          "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 15\r\n\r\n<h1>Sign in</h1>",
          "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
          "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"})
    BOOST_TEST_CONTEXT(answer) {
      providers::testing::raw_server away([&](providers::testing::raw_connection& client, int) {
        client.read_request();
        for (const char byte : answer) // one a packet, so that it is cut everywhere
          client.write({&byte, 1});
      });
      served here(R"({"reply":[{"text":"Fine."}]})", [&](actors::node_settings& of) {
        providers::http_provider_settings http;
        http.name = "away";
        http.base_url = "http://127.0.0.1:" + std::to_string(away.port());
        of.providers["away"] = {
            providers::anthropic::make_provider(std::move(http)), {"gym", "claude-gym"}, 1};
      });
      here.make("s", R"(,"provider":"away","max_retries":0)");
      here.say("s", "Hello");
      const auto failed = here.until_idle("s");
      BOOST_TEST(failed.at("error/message") != "", failed.body);
      BOOST_TEST(here.get("/v1/sessions/s/events?type=notice.added").size("events") == 1U);
      here.say("s", "Again", R"(,"provider":"gym")");
      BOOST_TEST(here.until_idle("s").at("error") == "");
      BOOST_TEST(here.play.wrong_with("s") == "");
    }
}

BOOST_AUTO_TEST_CASE(what_a_provider_asks_to_be_waited_for_is_waited_for_and_readers_hear_of_it) {
  troubled with(
      R"({"times":2,"reply":[{"http_error":{"status":429,"message":"slow down","retry_after":0.05}}]}
{"reply":[{"text":"Fine."}]})");
  auto& here = *with.here;
  here.make("s", R"(,"provider":"away","max_retries":2)");
  event_reader watching(here.port(), "s");
  watching.until_live();
  here.say("s", "Hello");
  for (const char* const attempt : {"1", "2"}) {
    const auto retrying = watching.until("retrying");
    BOOST_TEST(retrying.id == "");
    BOOST_TEST(retrying.at("attempt") == attempt);
    BOOST_TEST(retrying.at("delay_ms") == "50");
    BOOST_TEST(retrying.at("reason").find("slow down") != std::string::npos, retrying.data);
  }
  BOOST_TEST(watching.until("inference.finished").at("data/retries") == "2");
  BOOST_TEST(here.until_idle("s").at("error") == "");
  BOOST_TEST(here.get("/v1/sessions/s/events?type=notice.added").size("events") == 0U);
}

BOOST_AUTO_TEST_CASE(an_abort_ends_the_wait_for_a_provider_at_once) {
  troubled with(R"({"reply":[{"http_error":{"status":429,"message":"slow down","retry_after":59}}]})");
  auto& here = *with.here;
  here.make("s", R"(,"provider":"away")");
  event_reader watching(here.port(), "s");
  watching.until_live();
  here.say("s", "Hello");
  watching.until("retrying");
  BOOST_TEST(here.post("/v1/sessions/s/abort").at("status") == "idle");
  BOOST_TEST(here.play.count("s", "run.finished") == 1U);
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_SUITE_END()
