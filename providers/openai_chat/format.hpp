// OpenAI's Chat Completions API, streamed, as it and compatible servers speak it.
#pragma once

#include "providers/http_provider.hpp"

namespace troupe::providers::openai_chat {

class format final : public wire_format {
 public:
  result<wire_request> write(const inference_request& request) const override;
  http_field authorize(const secret& key) const override {
    return {"authorization", "Bearer " + key.reveal()};
  }
  wire_request list_models() const override;
  std::unique_ptr<decoder> make_decoder(const http_head& head) const override;
  wire_error read_error(const http_head& head, std::string_view body) const override;
};

/// A provider that speaks it. `base_url` is with the `/v1`.
std::unique_ptr<provider> make_provider(http_provider_settings settings);

/// The milliseconds of a duration as `12ms`, `1s`, `6m0s` or `1h2m3.5s`; absent for anything else.
std::optional<std::int64_t> parse_duration(std::string_view text);

} // namespace troupe::providers::openai_chat
