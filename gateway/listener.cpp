// The door: accepting, spreading over the threads, and the order of the end.
#include "gateway/listener.hpp"

#include "gateway/io_thread.hpp"
#include "gateway/problem_document.hpp"
#include "telemetry/log.hpp"

#include <algorithm>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address.hpp>

namespace troupe::gateway {

namespace {

constexpr int backlog = 4096;
constexpr std::chrono::milliseconds pause_without_descriptors{50};

/// What a client gets for which there is no room: written if the kernel takes it, and gone.
void turn_away(tcp_socket socket) {
  const response full = problem_document(problem{
      problem_code::unavailable, "the server has as many connections as it may; try again later", {}});
  const std::string bytes = head_of(full, framing::length, "", false) + full.body;
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(bytes), ignored);
  socket.shutdown(tcp_socket::shutdown_send, ignored);
}

} // namespace

struct listener::core : std::enable_shared_from_this<core> {
  explicit core(listener_settings given) : host(std::move(given.host)) {
    state->limits = given.limits;
    for (std::size_t i = 0; i < std::max<std::size_t>(given.threads, 1); ++i)
      threads.push_back(std::make_shared<io_thread>(state));
    acceptor.emplace(threads.front()->context());
    pause.emplace(threads.front()->context());
  }

  error_code open(const tcp::endpoint& at) {
    error_code error;
    acceptor->open(at.protocol(), error);
    if (!error)
      acceptor->set_option(tcp::acceptor::reuse_address(true), error);
    if (!error)
      acceptor->bind(at, error);
    if (!error)
      acceptor->listen(backlog, error);
    if (!error)
      port = acceptor->local_endpoint(error).port();
    return error;
  }

  void accept() {
    io_thread& next = *threads[turn++ % threads.size()];
    acceptor->async_accept(
        next.context(), [self = shared_from_this(), &next](const error_code& error, tcp_socket socket) {
          if (!self->acceptor->is_open())
            return;
          if (error)
            return self->wait(error);
          self->without_room = false;
          self->take_in(next, std::move(socket));
          self->accept();
        });
  }

  void take_in(io_thread& next, tcp_socket socket) {
    if (state->connections >= state->limits.connections_max)
      return turn_away(std::move(socket));
    ++state->connections;
    next.post([&next, socket = std::move(socket)]() mutable { next.add(std::move(socket)); });
  }

  // Out of descriptors, mostly: some connection must end first.
  void wait(const error_code& why) {
    if (!std::exchange(without_room, true))
      telemetry::log(telemetry::level::warning, "no connection can be accepted", {{"why", why.message()}});
    pause->expires_after(pause_without_descriptors);
    pause->async_wait([self = shared_from_this()](const error_code& error) {
      if (!error && self->acceptor->is_open())
        self->accept();
    });
  }

  void close_door() {
    threads.front()->post([self = shared_from_this()] {
      error_code ignored;
      self->acceptor->close(ignored);
      self->pause->cancel();
    });
  }

  std::string host;
  std::uint16_t port = 0;
  std::shared_ptr<server_state> state = std::make_shared<server_state>();
  std::vector<std::shared_ptr<io_thread>> threads;
  std::optional<asio::basic_socket_acceptor<tcp, asio::io_context::executor_type>> acceptor; ///< on the first
  std::optional<asio::steady_timer> pause;
  std::size_t turn = 0;
  bool without_room = false;
};

listener::listener() = default;
listener::~listener() { stop(); }

result<std::unique_ptr<listener>> listener::start(listener_settings settings, request_handler answer) {
  if (settings.host == "localhost")
    settings.host = "127.0.0.1";
  error_code error;
  const auto address = asio::ip::make_address(settings.host, error);
  if (error)
    return problem{problem_code::invalid_input,
        shown(settings.host) + " is no IP address to listen on; give one, as 127.0.0.1 or ::", {}};
  const std::uint16_t port = settings.port;
  std::unique_ptr<listener> made(new listener());
  made->core_ = std::make_shared<core>(std::move(settings));
  core& inside = *made->core_;
  inside.state->answer = std::move(answer);
  if (error = inside.open({address, port}); error)
    return problem{problem_code::unavailable,
        "can't listen on " + inside.host + " port " + std::to_string(port) + ": " + error.message()
            + "; choose another",
        {}};
  for (const auto& one : inside.threads)
    one->start();
  inside.threads.front()->post([core = made->core_] { core->accept(); });
  return made;
}

std::uint16_t listener::port() const { return core_->port; }

std::string listener::base_url() const {
  const bool is_v6 = core_->host.find(':') != std::string::npos;
  return "http://" + (is_v6 ? "[" + core_->host + "]" : core_->host) + ":" + std::to_string(port());
}

std::size_t listener::connections() const { return core_->state->connections; }

bool listener::wait_connections(std::size_t most, std::chrono::milliseconds patience) {
  server_state& state = *core_->state;
  std::unique_lock guard(state.mutex);
  return state.changed.wait_for(guard, patience, [&] { return state.connections <= most; });
}

void listener::begin_drain() { core_->state->draining = true; }

bool listener::finish(std::chrono::milliseconds patience) {
  begin_drain();
  core_->close_door();
  for (const auto& one : core_->threads)
    one->post([thread = one.get()] { thread->wind_up(); });
  return wait_connections(0, patience);
}

void listener::stop() {
  core_->close_door();
  for (const auto& one : core_->threads)
    one->stop();
}

} // namespace troupe::gateway
