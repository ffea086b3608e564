// A provider's wire format: how a request is written and its answer read. One folder a format.
#pragma once

#include "providers/credentials.hpp"
#include "providers/http_message.hpp"
#include "providers/provider.hpp"

namespace troupe::providers {

/// A request as it goes over the wire, without the address and what HTTP adds.
struct wire_request {
  std::string target; ///< from the base URL on, as `/v1/messages`
  std::vector<http_field> fields;
  std::string body;
};

/// Why an attempt failed, as far as the provider's answer tells.
struct wire_error {
  failure error;
  std::optional<std::int64_t> retry_after_ms;
};

/// Reads the body of one successful answer. Pure: bytes in, events out.
class decoder {
 public:
  virtual ~decoder() = default;
  /// The bound of one event of a stream, or of an answer that comes as a whole; before the first `feed`.
  virtual void keep_frames_within(std::size_t bytes) = 0;
  /// Appends the events of `bytes`, never the last. False when the answer broke a rule of the
  /// format: then nothing more is to be read, and `finish` says what it was.
  virtual bool feed(std::string_view bytes, std::vector<stream_event>& events) = 0;
  /// True once the answer has said that it is whole; how its connection ends doesn't matter then.
  virtual bool complete() const = 0;
  /// The body has ended, in order or as `cut` says. Appends what the last bytes still gave and the
  /// one `attempt_finished`. Called once.
  virtual void finish(std::optional<failure> cut, std::vector<stream_event>& events) = 0;
};

class wire_format {
 public:
  virtual ~wire_format() = default;
  /// Errors: `invalid_input` for what this format can't say, naming it.
  virtual result<wire_request> write(const inference_request& request) const = 0;
  /// The header that carries the key.
  virtual http_field authorize(const secret& key) const = 0;
  /// Asks for the list of models (GET): what every service answers, and costs nothing.
  virtual wire_request list_models() const = 0;
  /// A decoder for the body of a 2xx answer with that head.
  virtual std::unique_ptr<decoder> make_decoder(const http_head& head) const = 0;
  /// What an answer that is no success says.
  virtual wire_error read_error(const http_head& head, std::string_view body) const = 0;
};

} // namespace troupe::providers
