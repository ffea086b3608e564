// Requests over HTTP on keep-alive connections: messages that are durable when they are answered, and reads.
#include "bench/http_clients.hpp"
#include "bench/themes.hpp"
#include "gateway/server.hpp"

#include <future>

namespace troupe::bench {

namespace {

constexpr std::size_t posts_a_round = 25'600; ///< 400 a session at 64 clients; a queue holds 1,000
constexpr std::size_t reads_a_round = 40'000;
constexpr double reads_wanted = 10'000;

class serving_stage {
 public:
  explicit serving_stage(const stage& on) {
    node_ = must(actors::node::start(on.node_settings()));
    server_ = must(gateway::server::start(*node_, {}));
  }
  ~serving_stage() {
    server_->drain(std::chrono::milliseconds(1)); // the held runs don't end
    node_.reset();                                // before the server: its actors may still be answering
  }
  serving_stage(const serving_stage&) = delete;
  serving_stage& operator=(const serving_stage&) = delete;

  /// Each client posts to a session of its own whose run waits at the gym: what is posted is queued.
  double posts_per_second(std::size_t clients) {
    const auto sessions = held_sessions(clients);
    http_load load(server_->port(), clients);
    const double rate = load.requests_per_second(posts_a_round, 202, [&](std::size_t i) {
      return post_request("/v1/sessions/" + sessions[i].id() + "/messages",
          R"({"delivery":"send","content":"And then one more message."})");
    });
    erase(sessions);
    return rate;
  }

  double reads_per_second(std::size_t clients) {
    const auto sessions = open_sessions(*node_, clients);
    http_load load(server_->port(), clients);
    return load.requests_per_second(
        reads_a_round, 200, [&](std::size_t i) { return get_request("/v1/sessions/" + sessions[i].id()); });
  }

 private:
  std::vector<actors::session_handle> held_sessions(std::size_t count) {
    auto sessions = open_sessions(*node_, count);
    for (auto& session : sessions) {
      const auto stream = session.follow(0);
      accept_message message;
      message.content = content(prompt_of(turn_kind::held));
      must(session.post(std::move(message)));
      for (bool asked = false; !asked;) {
        const auto item = stream->next(std::chrono::seconds(30));
        if (!item)
          throw std::runtime_error("a held run didn't begin");
        const auto* const event = std::get_if<recorded_event>(&*item);
        asked = event && event->type == "inference.started";
      }
    }
    return sessions;
  }

  // Their queues would be worked off by whoever takes them.
  void erase(const std::vector<actors::session_handle>& sessions) {
    std::vector<std::future<void>> ends;
    for (const auto& session : sessions) {
      auto erased = std::make_shared<std::promise<void>>();
      ends.push_back(erased->get_future());
      node_->erase(session.id(), [erased](const result<bool>&) { erased->set_value(); });
    }
    for (auto& end : ends)
      end.wait();
  }

  std::unique_ptr<actors::node> node_;
  std::unique_ptr<gateway::server> server_;
};

} // namespace

void measure_requests(bench& with) {
  if (!with.out.wants_any({"posts_per_second", "reads_per_second"}))
    return;
  serving_stage on(with.on);
  if (with.out.wants("posts_per_second"))
    for (const int clients : {64, 256}) {
      const double rate = median_of(
          with.out.rounds(), [&] { return on.posts_per_second(static_cast<std::size_t>(clients)); });
      with.out.add({"posts_per_second", {{"clients", std::to_string(clients)}}, rate, "posts/s",
          0.5 * with.beside.inserts_per_second(clients), bound::at_least});
    }
  if (with.out.wants("reads_per_second"))
    with.out.add({"reads_per_second", {{"clients", "64"}},
        median_of(with.out.rounds(), [&] { return on.reads_per_second(64); }), "reads/s", reads_wanted,
        bound::at_least});
}

} // namespace troupe::bench
