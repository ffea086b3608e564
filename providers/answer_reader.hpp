// The reader of one provider's answer: from HTTP's pieces to the sink's events.
#pragma once

#include "providers/http_client.hpp"
#include "providers/wire_format.hpp"

namespace troupe::providers {

/// An end that is a failure.
attempt_finished ended_by(failure error, std::optional<std::int64_t> retry_after_ms = std::nullopt);

/// Decodes where the pieces come, on the client's thread; every call of the sink has events, the last
/// one the end. The key is taken out of whatever message repeats it.
class answer_reader final : public http_reader {
 public:
  answer_reader(std::string name, std::shared_ptr<const wire_format> format, std::size_t frame_bytes_max,
      secret key, event_sink sink)
      : name_(std::move(name)), format_(std::move(format)), frame_bytes_max_(frame_bytes_max),
        key_(std::move(key)), sink_(std::move(sink)) {}

  void on_head(const http_head& head) override;
  http_taken on_body(std::string_view bytes) override;
  void on_end(std::optional<http_failure> failed) override;

 private:
  void end_cancelled();
  attempt_finished refused() const;
  void tell(std::vector<stream_event> events);

  std::string name_;
  std::shared_ptr<const wire_format> format_;
  std::size_t frame_bytes_max_;
  secret key_;
  event_sink sink_;
  http_head head_;
  std::unique_ptr<decoder> decoder_; ///< of an answer that is a success in the format's own type
  std::string body_;                 ///< of any other, as far as its bound
};

} // namespace troupe::providers
