// The port is any at the first start, and that one from then on.
#include "tests/crash/server_program.hpp"

#include "messages/json.hpp"
#include "tests/gateway/client.hpp"

#include <fstream>

namespace troupe::testing {

namespace {

/// The database is up and the server says so within this time, or the test has failed.
constexpr std::chrono::seconds until_answered{60};

} // namespace

server_program::server_program(std::string database, const std::string& gym_url, const std::string& more) {
  const auto config = (scratch_.path / "troupe.toml").string();
  const auto root = scratch_.path / "work";
  std::filesystem::create_directory(root);
  std::ofstream(config) << "[tools.workspace]\nroot = \"" << root.string()
                        << "\"\nsandbox = \"none\"\n[server]\nheartbeat_seconds = 1\n"
                        << "[providers.scripted]\ntype = \"claude\"\napi_key = \"none\"\nbase_url = \""
                        << gym_url << "\"\n"
                        << more;
  words_ = {std::string(TROUPE_BINARY_DIR) + "/bin/troupe", "--config", config, "--database",
      std::move(database), "serve"};
}

void server_program::start() {
  auto words = words_;
  words.insert(words.end(), {"--listen", "127.0.0.1:" + std::to_string(port_)});
  process_.reset();
  process_.emplace(words);
  const auto line = process_->expect("listening on ");
  port_ = static_cast<std::uint16_t>(std::stoi(line.substr(line.rfind(':') + 1)));
  const std::lock_guard lock(mutex_);
  up_ = true;
  came_up_.notify_all();
}

void server_program::kill() {
  {
    const std::lock_guard lock(mutex_);
    up_ = false;
  }
  process_->kill();
}

void server_program::wait_until_up() {
  std::unique_lock lock(mutex_);
  came_up_.wait_for(lock, patience, [&] { return up_; });
}

answered server_program::ask(
    const std::string& method, const std::string& path, const std::string& body) const {
  try {
    gateway::testing::client one(port_);
    const auto got = one.ask(method + " " + path
        + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + (body.empty() && method == "GET" ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n")
        + "\r\n" + body);
    const auto length = got.headers.find("content-length");
    const bool whole = length == got.headers.end() || length->second == std::to_string(got.body.size());
    return {whole ? got.status : 0, got.body};
  } catch (const std::runtime_error&) {
    return {};
  }
}

answered server_program::ask_until_answered(
    const std::string& method, const std::string& path, const std::string& body) {
  const auto until = std::chrono::steady_clock::now() + until_answered;
  answered got;
  do {
    wait_until_up();
    got = ask(method, path, body);
  } while ((got.status == 0 || got.status == 503) && std::chrono::steady_clock::now() < until);
  return got;
}

void server_program::make(const std::string& id) {
  const auto made = ask_until_answered("POST", "/v1/sessions",
      R"({"id":")" + id + R"(","provider":"scripted","model":"claude-gym","tools":["workspace"]})");
  BOOST_REQUIRE_MESSAGE(made.status == 201, made.body);
}

answered server_program::say(const std::string& id, const std::string& text, const std::string& message_id) {
  return ask_until_answered("POST", "/v1/sessions/" + id + "/messages",
      R"({"delivery":"send","content":)" + json::quote(text)
          + (message_id.empty() ? "" : R"(,"id":")" + message_id + '"') + "}");
}

answered server_program::until_idle(const std::string& id) {
  const auto so = ask_until_answered("GET", "/v1/sessions/" + id + "/wait?timeout_ms=60000");
  BOOST_REQUIRE_MESSAGE(so.status == 200, so.status << so.body);
  BOOST_TEST(so.at("status") == "idle");
  return so;
}

} // namespace troupe::testing
