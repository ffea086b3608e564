// Keys by a command, with a real program and a service that takes one key: renewed in time, and never told.
#include "providers/anthropic/format.hpp"
#include "tests/providers/raw_server.hpp"
#include "tests/served/served.hpp"
#include "tests/tools/scratch.hpp"
#include "tools/printing_command.hpp"

#include <algorithm>
#include <set>

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(served_credentials)

namespace {

using providers::testing::raw_connection;
using providers::testing::raw_server;

/// A service that answers whoever has the right key, and repeats a wrong one in its refusal.
class guarded_service {
 public:
  guarded_service() : server_([this](raw_connection& from, int) { serve(from); }) {}
  std::string base_url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }
  void take(const std::string& key) {
    const std::lock_guard lock(mutex_);
    right_ = key;
  }
  std::vector<std::string> keys() {
    const std::lock_guard lock(mutex_);
    return keys_;
  }

 private:
  void serve(raw_connection& from) {
    for (auto request = from.read_request(); !request.empty(); request = from.read_request()) {
      const auto at = request.find("x-api-key: ");
      const std::string key =
          at == std::string::npos ? "" : request.substr(at + 11, request.find('\r', at) - at - 11);
      const bool right = note(key);
      const std::string body = right
          ? R"({"content":[{"type":"text","text":"Hi."}],"stop_reason":"end_turn"})"
          : R"({"error":{"type":"authentication_error","message":"bad key )" + key + "\"}}";
      from.write("HTTP/1.1 " + std::string(right ? "200 OK" : "401 Unauthorized")
          + "\r\ncontent-type: application/json\r\ncontent-length: " + std::to_string(body.size())
          + "\r\n\r\n" + body);
    }
  }
  bool note(const std::string& key) {
    const std::lock_guard lock(mutex_);
    keys_.push_back(key);
    return key == right_;
  }

  std::mutex mutex_;
  std::string right_;
  std::vector<std::string> keys_;
  raw_server server_; // ends first
};

/// A folder with a program that prints a key, and says on its error output what nobody is to hear.
class key_program {
 public:
  key_program() {
    const auto folder = folder_.root().string();
    folder_.write("the-key",
        "#!/bin/sh\necho run >> " + folder + "/runs\necho sk-canary-whisper >&2\n. " + folder + "/answer\n");
    std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
  }

  std::string path() const { return (folder_.root() / "the-key").string(); }
  void prints(const std::string& key) const { does("echo " + key); }
  void does(const std::string& script) const { folder_.write("answer", script + "\n"); }
  std::size_t runs() const {
    const auto lines = folder_.read("runs");
    return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
  }

 private:
  tools::testing::scratch folder_;
};

std::function<void(actors::node_settings&)> with_key_of(
    const key_program& program, const guarded_service& service, std::chrono::seconds kept) {
  return [path = program.path(), url = service.base_url(), kept](actors::node_settings& settings) {
    const auto command = std::make_shared<tools::printing_command>(
        tools::printing_settings{.words = {path}, .environment = {"PATH=/usr/bin:/bin"}});
    providers::http_provider_settings http;
    http.name = "guarded";
    http.base_url = url;
    http.credentials.command = [command] { return command->text(); };
    http.credentials.end_command = [command] { command->stop(); };
    http.credentials.command_for = kept;
    settings.providers["gym"].provider = providers::anthropic::make_provider(std::move(http));
  };
}

/// The error of the newest inference, empty if it has none.
std::string error_of_last(served& here) {
  const auto all = all_of<inference_finished>(here.play.log("s"));
  return all.empty() || !all.back().error ? "" : all.back().error->message;
}

std::string stored_text(served& here) {
  std::string all;
  for (const auto& event : here.play.stored("s"))
    all += event.payload;
  return all;
}

const std::string nothing_scripted = R"({"reply":[{"text":"Never asked."}]})";

void talk(served& here, const std::string& more = {}) {
  BOOST_TEST(here.say("s", "Hello", more).status == 202);
  here.until_idle("s");
}

} // namespace

BOOST_AUTO_TEST_CASE(a_command_gives_the_key_and_is_run_once_for_a_while) {
  const key_program program;
  guarded_service service;
  program.prints("sk-canary-one");
  service.take("sk-canary-one");
  served here(nothing_scripted, with_key_of(program, service, std::chrono::minutes(5)));
  here.make("s");
  talk(here);
  talk(here);
  BOOST_TEST(error_of_last(here) == "");
  BOOST_TEST(program.runs() == 1U);
  BOOST_TEST(service.keys() == (std::vector<std::string>{"sk-canary-one", "sk-canary-one"}),
      boost::test_tools::per_element());
  BOOST_TEST(stored_text(here).find("canary") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(without_a_time_it_is_run_for_each_inference) {
  const key_program program;
  guarded_service service;
  served here(nothing_scripted, with_key_of(program, service, std::chrono::seconds(0)));
  here.make("s");
  for (const char* const key : {"sk-canary-one", "sk-canary-two"}) {
    program.prints(key);
    service.take(key);
    talk(here);
    BOOST_TEST(error_of_last(here) == "");
  }
  BOOST_TEST(program.runs() == 2U);
}

BOOST_AUTO_TEST_CASE(a_key_that_has_expired_is_replaced_within_the_inference) {
  const key_program program;
  guarded_service service;
  program.prints("sk-canary-one");
  service.take("sk-canary-one");
  served here(nothing_scripted, with_key_of(program, service, std::chrono::hours(1)));
  here.make("s", R"(,"max_retries":0)");
  talk(here);
  program.prints("sk-canary-two");
  service.take("sk-canary-two"); // the first one has expired
  talk(here);
  BOOST_TEST(error_of_last(here) == "");
  BOOST_TEST(service.keys() == (std::vector<std::string>{"sk-canary-one", "sk-canary-one", "sk-canary-two"}),
      boost::test_tools::per_element());
  BOOST_TEST(all_of<inference_finished>(here.play.log("s")).back().retries == 1);
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_key_that_was_never_right_is_asked_for_again_by_the_next_inference) {
  const key_program program;
  guarded_service service;
  program.prints("sk-canary-wrong");
  service.take("sk-canary-right");
  served here(nothing_scripted, with_key_of(program, service, std::chrono::hours(1)));
  here.make("s");
  talk(here);
  BOOST_TEST(program.runs() == 1U); // it came a moment ago: asking again would give the same
  const std::string error = error_of_last(here);
  BOOST_TEST(error.find("401") != std::string::npos, error);
  BOOST_TEST(error.find("bad key [redacted]") != std::string::npos, error);
  program.prints("sk-canary-right");
  talk(here);
  BOOST_TEST(error_of_last(here) == "");
  BOOST_TEST(stored_text(here).find("canary") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_command_that_fails_fails_the_inference_and_says_how) {
  const key_program program;
  guarded_service service;
  served here(nothing_scripted, with_key_of(program, service, std::chrono::minutes(5)));
  here.make("s");
  program.does("echo sk-canary-half; exit 7");
  talk(here);
  BOOST_TEST(error_of_last(here)
      == "provider guarded: no API key: the command (api_key_command) `" + program.path()
          + "` ended with exit status 7");
  program.does("head -c 100000 /dev/zero");
  talk(here);
  BOOST_TEST(error_of_last(here).find("printed more than 8192 bytes") != std::string::npos);
  BOOST_TEST(service.keys().empty()); // nothing went out
  BOOST_TEST(stored_text(here).find("canary") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_abort_waits_for_no_command) {
  const key_program program;
  guarded_service service;
  served here(nothing_scripted, with_key_of(program, service, std::chrono::minutes(5)));
  here.make("s");
  program.does("exec sleep 600");
  here.say("s", "Hello");
  BOOST_TEST(here.post("/v1/sessions/s/abort").at("status") == "idle");
  BOOST_TEST(all_of<inference_finished>(here.play.log("s")).size() == 1U);
  BOOST_TEST(here.play.wrong_with("s") == "");
} // and no end of the node waits for one

BOOST_AUTO_TEST_SUITE_END()
