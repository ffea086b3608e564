// A provider over HTTP: a wire format, an address, a key and a client joined.
#pragma once

#include "providers/base_url.hpp"
#include "providers/http_client.hpp"
#include "providers/key_keeper.hpp"
#include "providers/wire_format.hpp"

namespace troupe::providers {

/// The keys of `[providers.NAME]` that concern the transport.
struct http_provider_settings {
  std::string name = "provider"; ///< as sessions name it; stands in error messages
  std::string base_url;          ///< `http` or `https`, with or without a path
  credential_settings credentials;
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds first_byte_timeout{60'000};
  std::chrono::milliseconds idle_timeout{120'000};
  std::size_t max_concurrent = 64;
  std::size_t frame_bytes_max = std::size_t{16} << 20; ///< of one event of the answer's stream
  std::size_t credit = 4;                              ///< calls of the sink before the first `acknowledge`
  tls_settings tls{};
};

/// Decodes on its client's thread; each network read that gives events is one call of the sink.
class http_provider final : public provider {
 public:
  http_provider(http_provider_settings settings, std::unique_ptr<wire_format> format);
  ~http_provider() override;
  std::shared_ptr<attempt> start(inference_request request, event_sink sink) override;
  std::optional<problem> examine() override;

 private:
  result<http_request> prepare(result<wire_request> written) const;
  std::shared_ptr<attempt> fail(const problem& why, event_sink sink);
  std::shared_ptr<attempt> send(http_request request, const key_keeper::found& key, event_sink sink);
  event_sink watching(const key_keeper::found& key, event_sink sink) const;

  http_provider_settings settings_;
  std::shared_ptr<const wire_format> format_;
  result<base_address> address_;
  http_client client_;
  std::shared_ptr<key_keeper> keys_;
};

} // namespace troupe::providers
