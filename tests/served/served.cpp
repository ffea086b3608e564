// Requests on fresh connections, so that no test depends on the one before.
#include "tests/served/served.hpp"

namespace troupe::testing {

event_reader::event_reader(
    std::uint16_t port, const std::string& session, const std::string& query, const std::string& last_id)
    : client_(port) {
  client_.send("GET /v1/sessions/" + session + "/events" + query
      + " HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
      + (last_id.empty() ? "" : "Last-Event-ID: " + last_id + "\r\n") + "\r\n");
  status_ = client_.read_head().status;
}

sent_event event_reader::next() {
  while (true) {
    if (auto event = take_event(pending_))
      return *event;
    const auto chunk = client_.read_chunk();
    if (chunk.empty())
      return {};
    pending_ += chunk;
  }
}

sent_event event_reader::until(const std::string& name) {
  while (true) {
    auto event = next();
    if (event.name.empty())
      BOOST_FAIL("no " + name + " came");
    if (event.name == name)
      return event;
  }
}

served::served(const std::string& rules, const std::function<void(actors::node_settings&)>& tune,
    gateway::server_settings settings)
    : play(rules), node(play.start("served", tune)) {
  server_ = must(gateway::server::start(*node, std::move(settings)));
}

served::~served() { leave(); }

void served::leave() {
  if (server_)
    server_->drain(std::chrono::milliseconds(1));
  node.reset();
  server_.reset();
}

void served::start_anew(const std::function<void(actors::node_settings&)>& tune) {
  leave();
  node = play.start("heir", tune);
  server_ = must(gateway::server::start(*node, {}));
}

answered served::ask(const std::string& method, const std::string& path, const std::string& body) {
  gateway::testing::client one(port());
  const std::string head = method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n";
  const auto got = one.ask(body.empty() && method != "POST"
          ? head + "\r\n"
          : head + "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size())
              + "\r\n\r\n" + body);
  return {got.status, got.body};
}

void served::make(const std::string& id, const std::string& more) {
  const auto made = post("/v1/sessions", R"({"id":")" + id + R"(","tools":["stage"])" + more + "}");
  BOOST_REQUIRE_MESSAGE(made.status == 201, made.body);
}

answered served::say(const std::string& id, const std::string& text, const std::string& more) {
  return post("/v1/sessions/" + id + "/messages",
      R"({"delivery":"send","content":)" + json::quote(text) + more + "}");
}

answered served::say_blocks(const std::string& id, const std::string& blocks) {
  return post("/v1/sessions/" + id + "/messages", R"({"delivery":"send","content":)" + blocks + "}");
}

answered served::until_idle(const std::string& id) {
  const auto so = get("/v1/sessions/" + id + "/wait?timeout_ms=20000");
  BOOST_REQUIRE_MESSAGE(so.status == 200, so.status << so.body);
  return so;
}

answered served::until_attention(const std::string& id) {
  const auto so = get("/v1/sessions/" + id + "/wait?for=attention&timeout_ms=20000");
  BOOST_REQUIRE_MESSAGE(so.status == 200, so.status << so.body);
  return so;
}

} // namespace troupe::testing
