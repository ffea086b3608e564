// The loop, the listener and the plain TCP stream.
#include "providers/asio_loop.hpp"
#include "providers/stream_transport.hpp"

namespace troupe::providers {

namespace {

using tcp = asio::ip::tcp;
using plain_transport = stream_transport<tcp::socket>;

// An exception in a handler is a fault of ours in one stream; the others must go on.
void run(asio::io_context& context) {
  while (!context.stopped()) {
    try {
      context.run();
    } catch (...) {
    }
  }
  // what the last words of the owner cancelled is told so
  context.restart();
  for (int round = 0; round < 100; ++round) {
    try {
      if (context.poll() == 0)
        break;
    } catch (...) {
    }
  }
  context.stop();
}

class asio_timer final : public timer, public std::enable_shared_from_this<asio_timer> {
 public:
  asio_timer(asio::io_context& context, std::chrono::milliseconds delay) : timer_(context, delay) {}
  void start(std::function<void()> work) {
    timer_.async_wait([self = shared_from_this(), work = std::move(work)](error_code error) {
      if (!error && !self->cancelled_)
        work();
    });
  }
  void cancel() override {
    cancelled_ = true;
    timer_.cancel();
  }

 private:
  asio::steady_timer timer_;
  bool cancelled_ = false;
};

class tcp_listener final : public listener, public std::enable_shared_from_this<tcp_listener> {
 public:
  tcp_listener(asio::io_context& context, std::function<void(std::shared_ptr<transport>)> accepted)
      : context_(context), acceptor_(context), accepted_(std::move(accepted)) {}

  error_code open(const tcp::endpoint& at) {
    error_code error;
    acceptor_.open(at.protocol(), error);
    if (!error)
      acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error)
      acceptor_.bind(at, error);
    if (!error)
      acceptor_.listen(4096, error);
    if (!error)
      port_ = acceptor_.local_endpoint(error).port();
    return error;
  }

  void accept() {
    acceptor_.async_accept([self = shared_from_this()](error_code error, tcp::socket socket) {
      if (!self->acceptor_.is_open())
        return;
      if (error)
        return self->pause(); // out of descriptors, mostly: the others must end first
      error_code unsupported;
      socket.set_option(tcp::no_delay(true), unsupported);
      self->accepted_(std::make_shared<plain_transport>(self->context_, std::move(socket)));
      self->accept();
    });
  }

  std::uint16_t port() const override { return port_; }
  void close() override {
    error_code ignored;
    acceptor_.close(ignored);
    pause_.reset();
  }

 private:
  void pause() {
    pause_ = std::make_shared<asio::steady_timer>(context_, std::chrono::milliseconds(50));
    pause_->async_wait([self = shared_from_this()](error_code error) {
      if (!error && self->acceptor_.is_open())
        self->accept();
    });
  }

  asio::io_context& context_;
  tcp::acceptor acceptor_;
  std::shared_ptr<asio::steady_timer> pause_;
  std::function<void(std::shared_ptr<transport>)> accepted_;
  std::uint16_t port_ = 0;
};

} // namespace

io_loop::io_loop(tls_settings tls) : core_(std::make_shared<core>(std::move(tls))) {
  core_->thread = std::thread([core = core_] { run(core->context); });
}

io_loop::~io_loop() { stop(); }

void io_loop::stop() {
  if (!core_->thread.joinable())
    return;
  asio::post(core_->context, [core = core_.get()] { core->context.stop(); });
  if (core_->thread.get_id() == std::this_thread::get_id())
    core_->thread.detach(); // the last owner let go in a handler; the thread keeps what it needs
  else
    core_->thread.join();
}

void io_loop::post(std::function<void()> work) { asio::post(core_->context, std::move(work)); }

std::shared_ptr<transport> io_loop::make_transport(bool tls) {
  if (tls)
    return make_tls_transport(*core_);
  return std::make_shared<plain_transport>(core_->context, tcp::socket(core_->context));
}

std::shared_ptr<timer> io_loop::after(std::chrono::milliseconds delay, std::function<void()> work) {
  auto made = std::make_shared<asio_timer>(core_->context, delay);
  made->start(std::move(work));
  return made;
}

result<std::shared_ptr<listener>> io_loop::listen(
    const std::string& host, std::uint16_t port, std::function<void(std::shared_ptr<transport>)> accepted) {
  error_code error;
  auto address = asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, error);
  if (error)
    return problem{problem_code::invalid_input,
        "\"" + host + "\" is no IP address to listen on; give one, as 127.0.0.1 or ::", {}};
  auto made = std::make_shared<tcp_listener>(core_->context, std::move(accepted));
  if (error = made->open({address, port}); error)
    return problem{problem_code::unavailable,
        "can't listen on " + host + ":" + std::to_string(port) + ": " + error.message()
            + "; choose another port",
        {}};
  post([made] { made->accept(); });
  return std::shared_ptr<listener>(made);
}

} // namespace troupe::providers
