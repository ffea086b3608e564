// Anthropic's Messages API, version 2023-06-01, streamed.
#pragma once

#include "providers/http_provider.hpp"

namespace troupe::providers::anthropic {

/// The tokens of an answer where nothing else is asked for; the API wants a number.
inline constexpr std::int64_t max_tokens_default = 8192;

class format final : public wire_format {
 public:
  result<wire_request> write(const inference_request& request) const override;
  http_field authorize(const secret& key) const override { return {"x-api-key", key.reveal()}; }
  wire_request list_models() const override;
  std::unique_ptr<decoder> make_decoder(const http_head& head) const override;
  wire_error read_error(const http_head& head, std::string_view body) const override;
};

/// A provider that speaks it. `base_url` is without the `/v1`.
std::unique_ptr<provider> make_provider(http_provider_settings settings);

} // namespace troupe::providers::anthropic
