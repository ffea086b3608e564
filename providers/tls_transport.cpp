// The TLS stream: the chain and the host's name are always verified.
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
  tls_transport(asio::io_context& context, std::shared_ptr<tls_anchors> anchors)
      : stream_transport(context, context, anchors->context), anchors_(std::move(anchors)) {}

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
    stream_.async_handshake(ssl::stream_base::client, std::move(answer));
  }

  std::shared_ptr<tls_anchors> anchors_;
};

} // namespace

std::shared_ptr<transport> make_tls_transport(io_loop::core& core) {
  if (!core.anchors)
    core.anchors = std::make_shared<tls_anchors>(core.tls);
  return std::make_shared<tls_transport>(core.context, core.anchors);
}

} // namespace troupe::providers
