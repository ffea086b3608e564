// The clock is read when bytes of a body are handed to the decoder, which is before anything is made of
// them; the sink is called on the same thread right after, and knows which inference it is.
#include "bench/stamped_gym.hpp"

#include "providers/anthropic/format.hpp"

#include <stdexcept>

namespace troupe::bench {

namespace {

thread_local moment bytes_came;

class stamping_decoder final : public providers::decoder {
 public:
  explicit stamping_decoder(std::unique_ptr<decoder> inner) : inner_(std::move(inner)) {}
  void keep_frames_within(std::size_t bytes) override { inner_->keep_frames_within(bytes); }
  bool feed(std::string_view bytes, std::vector<providers::stream_event>& events) override {
    bytes_came = std::chrono::steady_clock::now();
    return inner_->feed(bytes, events);
  }
  bool complete() const override { return inner_->complete(); }
  // right after the last bytes, on which the answer was complete
  void finish(std::optional<failure> cut, std::vector<providers::stream_event>& events) override {
    inner_->finish(std::move(cut), events);
  }

 private:
  std::unique_ptr<decoder> inner_;
};

class stamping_format final : public providers::wire_format {
 public:
  result<providers::wire_request> write(const providers::inference_request& request) const override {
    return inner_.write(request);
  }
  providers::http_field authorize(const providers::secret& key) const override {
    return inner_.authorize(key);
  }
  providers::wire_request list_models() const override { return inner_.list_models(); }
  std::unique_ptr<providers::decoder> make_decoder(const providers::http_head& head) const override {
    return std::make_unique<stamping_decoder>(inner_.make_decoder(head));
  }
  providers::wire_error read_error(const providers::http_head& head, std::string_view body) const override {
    return inner_.read_error(head, body);
  }

 private:
  providers::anthropic::format inner_;
};

class stamping_provider final : public providers::provider {
 public:
  stamping_provider(providers::http_provider_settings settings, std::shared_ptr<arrivals> into)
      : inner_(std::move(settings), std::make_unique<stamping_format>()), into_(std::move(into)) {}

  std::shared_ptr<providers::attempt> start(
      providers::inference_request request, providers::event_sink sink) override {
    std::string inference = request.inference_id;
    return inner_.start(std::move(request),
        [inference, sink = std::move(sink), into = into_, offset = std::uint64_t{0}](
            std::vector<providers::stream_event> events) mutable {
          for (const auto& event : events) {
            if (std::holds_alternative<providers::block_started>(event))
              offset = 0;
            if (const auto* const delta = std::get_if<providers::block_delta>(&event)) {
              into->note(inference, delta->index, offset, bytes_came);
              offset += delta->text.size();
            }
            if (std::holds_alternative<providers::attempt_finished>(event))
              into->note_end(inference, bytes_came);
          }
          sink(std::move(events));
        });
  }

 private:
  providers::http_provider inner_;
  std::shared_ptr<arrivals> into_;
};

} // namespace

void arrivals::note(const std::string& inference, std::int64_t block, std::uint64_t offset, moment when) {
  const std::lock_guard lock(mutex_);
  moments_[{inference, block, offset}] = when;
}

moment arrivals::of(const std::string& inference, std::int64_t block, std::uint64_t offset) const {
  const std::lock_guard lock(mutex_);
  const auto found = moments_.find({inference, block, offset});
  if (found == moments_.end())
    throw std::runtime_error("a delta that never came was read");
  return found->second;
}

std::shared_ptr<providers::provider> stamped_gym(
    providers::http_provider_settings settings, std::shared_ptr<arrivals> into) {
  return std::make_shared<stamping_provider>(std::move(settings), std::move(into));
}

} // namespace troupe::bench
