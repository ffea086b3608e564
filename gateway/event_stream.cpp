// Items become events as the client takes them.
#include "gateway/event_stream.hpp"

#include "gateway/sse_writer.hpp"
#include "messages/event_codec.hpp"

namespace troupe::gateway {

namespace {

std::string_view name_of(providers::block_kind kind) {
  switch (kind) {
  case providers::block_kind::text:
    return "text";
  case providers::block_kind::thinking:
    return "thinking";
  default:
    return "tool_call";
  }
}

void put_text(json::writer& out, const std::string& inference_id, std::int64_t block,
    providers::block_kind kind, std::uint64_t offset, const std::string& text) {
  out.begin_object().field("inference_id", inference_id).key("block").number(block);
  out.field("kind", name_of(kind)).key("offset").number(offset).field("text", text).end_object();
}

struct framing_of_item {
  std::string& out;

  void operator()(const recorded_event& event) const {
    append_event(out, static_cast<std::uint64_t>(event.seq), event.type, to_line(event));
  }
  void operator()(const actors::live_delta& delta) const {
    json::writer data;
    put_text(data, delta.inference_id, delta.block, delta.kind, delta.offset, delta.text);
    append_event(out, std::nullopt, "delta", data.text());
  }
  void operator()(const actors::live_partial& partial) const {
    json::writer data;
    put_text(data, partial.inference_id, partial.block, partial.kind, 0, partial.text);
    append_event(out, std::nullopt, "partial", data.text());
  }
  void operator()(const actors::live_retry& retry) const {
    json::writer data;
    data.begin_object().field("inference_id", retry.inference_id).key("attempt").number(retry.attempt);
    data.key("delay_ms").number(retry.delay_ms).field("reason", retry.why).end_object();
    append_event(out, std::nullopt, "retrying", data.text());
  }
  void operator()(const actors::live_progress& progress) const {
    json::writer data;
    data.begin_object().field("execution_id", progress.execution_id).key("attempt").number(progress.attempt);
    data.field("text", progress.text).end_object();
    append_event(out, std::nullopt, "tool_progress", data.text());
  }
};

class session_events final : public stream_source {
 public:
  explicit session_events(std::unique_ptr<actors::live_stream> from) : from_(std::move(from)) {}

  void set_wake(std::function<void()> wake) override { from_->when_ready(std::move(wake)); }

  stream_state pull(std::string& out, std::size_t bytes_about) override {
    const std::size_t before = out.size();
    while (out.size() - before < bytes_about) {
      const auto item = from_->next(std::chrono::milliseconds(0));
      if (item) {
        std::visit(framing_of_item{out}, *item);
        continue;
      }
      if (!from_->ended())
        return stream_state::waiting;
      if (from_->overflowed())
        append_event(out, std::nullopt, "overflow",
            R"({"detail":"the reader is too far behind; come again with the last event id"})");
      return stream_state::ended;
    }
    return stream_state::more;
  }

 private:
  std::unique_ptr<actors::live_stream> from_;
};

} // namespace

std::shared_ptr<stream_source> event_stream(std::unique_ptr<actors::live_stream> from) {
  return std::make_shared<session_events>(std::move(from));
}

} // namespace troupe::gateway
