// The TLS stream: the chain and the host's name are always verified, and few shake hands at once.
#include "providers/asio_loop.hpp"
#include "providers/stream_transport.hpp"

#include <boost/asio/ssl.hpp>

namespace troupe::providers {

namespace ssl = asio::ssl;

class tls_anchors {
 public:
  explicit tls_anchors(const tls_settings& settings) : context(ssl::context::tls_client) {
    context.set_options(ssl::context::no_sslv3 | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1);
    context.set_verify_mode(ssl::verify_peer, failed);
    if (settings.ca_file.empty())
      context.set_default_verify_paths(failed);
    else
      context.load_verify_file(settings.ca_file, failed);
  }
  ssl::context context;
  error_code failed; ///< the anchors couldn't be read: no stream is made with them
};

namespace {

class tls_transport final : public stream_transport<ssl::stream<asio::ip::tcp::socket>> {
 public:
  tls_transport(
      asio::io_context& context, std::shared_ptr<tls_anchors> anchors, std::shared_ptr<handshake_gate> gate)
      : stream_transport(context, context, anchors->context), anchors_(std::move(anchors)),
        gate_(std::move(gate)) {}

  void close() override {
    stream_transport::close();
    if (!waiting_ || !gate_->withdraw(*waiting_))
      return;
    waiting_.reset();
    asio::post(stream_.get_executor(),
        [answer = std::exchange(answer_, {})] { answer(asio::error::operation_aborted); });
  }

 private:
  void secure(std::function<void(error_code)> answer) override {
    error_code error = anchors_->failed;
    error_code numeric;
    asio::ip::make_address(to_.host, numeric);
    if (numeric && SSL_set_tlsext_host_name(stream_.native_handle(), to_.host.c_str()) != 1)
      error = asio::error::invalid_argument;
    if (!error)
      stream_.set_verify_callback(ssl::host_name_verification(to_.host), error);
    if (error)
      return answer(error);
    answer_ = std::move(answer);
    waiting_ = gate_->enter(
        [self = std::static_pointer_cast<tls_transport>(shared_from_this())] { self->shake_hands(); });
  }

  void shake_hands() {
    waiting_.reset();
    stream_.async_handshake(
        ssl::stream_base::client, [gate = gate_, answer = std::exchange(answer_, {})](error_code error) {
          gate->leave();
          answer(error);
        });
  }

  // A certificate may be wrong in many ways, and each wants something else done.
  std::string explain(error_code error) const override {
    auto text = error.message();
    if (text.find("certificate verify failed") == std::string::npos)
      return text;
    // the mutable handle is all that Asio gives; nothing is changed
    auto why = SSL_get_verify_result(const_cast<tls_transport*>(this)->stream_.native_handle());
    return text + ": "
        + (why == X509_V_OK || why == X509_V_ERR_UNSPECIFIED ? "it isn't for the host " + to_.host
                                                             : X509_verify_cert_error_string(why));
  }

  std::shared_ptr<tls_anchors> anchors_;
  std::shared_ptr<handshake_gate> gate_;
  std::optional<handshake_gate::place> waiting_; ///< for the turn of the handshake
  std::function<void(error_code)> answer_;       ///< until the handshake begins
};

} // namespace

std::shared_ptr<transport> make_tls_transport(io_loop::core& core) {
  if (!core.anchors)
    core.anchors = std::make_shared<tls_anchors>(core.tls);
  return std::make_shared<tls_transport>(core.context, core.anchors, core.handshakes);
}

} // namespace troupe::providers
