// What an answer means: a stream to decode, a refusal to read, or something that is neither.
#include "providers/answer_reader.hpp"

#include "messages/text.hpp"

#include <algorithm>

namespace troupe::providers {

namespace {

/// What is shown of an answer that isn't what it should be.
constexpr std::size_t excerpt_bytes = 300;

std::string excerpt(std::string_view body) {
  auto text = to_utf8(body.substr(0, excerpt_bytes + 3));
  std::string shown(utf8_prefix(text, excerpt_bytes));
  std::replace_if(
      shown.begin(), shown.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  return body.size() > excerpt_bytes ? shown + "…" : shown;
}

/// How the body is compressed, though nobody asked for it; empty: not at all.
std::string coding_of(const http_head& head) {
  auto coding = head.find("content-encoding").value_or("");
  return coding == "identity" ? std::string() : coding;
}

failure failure_of(const http_failure& failed, const std::string& provider) {
  auto message = "provider " + provider + ": " + failed.detail;
  switch (failed.what) {
  case http_failure::kind::timeout:
    return {"timeout", std::nullopt, true, std::move(message)};
  case http_failure::kind::connect:
  case http_failure::kind::network:
  case http_failure::kind::truncated:
    return {"network", std::nullopt, true, std::move(message)};
  case http_failure::kind::protocol:
  case http_failure::kind::cancelled:
    break;
  }
  return {"unknown", std::nullopt, false, std::move(message)};
}

} // namespace

attempt_finished ended_by(failure error, std::optional<std::int64_t> retry_after_ms) {
  attempt_finished end;
  end.state = inference_state::error;
  end.error = std::move(error);
  end.retry_after_ms = retry_after_ms;
  return end;
}

void answer_reader::on_head(const http_head& head) {
  head_ = head;
  auto type = head.media_type();
  auto is_ours = type == "text/event-stream" || type == "application/json";
  if (head.status >= 200 && head.status <= 299 && is_ours && coding_of(head).empty()) {
    decoder_ = format_->make_decoder(head);
    decoder_->keep_frames_within(frame_bytes_max_);
  }
}

http_taken answer_reader::on_body(std::string_view bytes) {
  if (!decoder_) {
    body_.append(bytes.substr(0, error_body_bytes_max - std::min(error_body_bytes_max, body_.size())));
    if (body_.size() < error_body_bytes_max)
      return {};
    tell({refused()});
    return {.stop = true};
  }
  std::vector<stream_event> events;
  if (!decoder_->feed(bytes, events)) {
    decoder_->finish(std::nullopt, events);
    tell(std::move(events));
    return {.stop = true};
  }
  auto complete = decoder_->complete();
  if (events.empty())
    return {.complete = complete};
  tell(std::move(events));
  return {.used_credit = true, .complete = complete};
}

void answer_reader::on_end(std::optional<http_failure> failed) {
  if (failed && failed->what == http_failure::kind::cancelled)
    return end_cancelled();
  if (!decoder_)
    return tell({failed && head_.status == 0 ? ended_by(failure_of(*failed, name_)) : refused()});
  std::vector<stream_event> events;
  std::optional<failure> cut;
  if (failed)
    cut = failure_of(*failed, name_);
  decoder_->finish(std::move(cut), events);
  tell(std::move(events));
}

// What is known of the usage is told with an abort, too.
void answer_reader::end_cancelled() {
  std::vector<stream_event> events;
  attempt_finished end;
  if (decoder_) {
    decoder_->finish(failure{"unknown", std::nullopt, false, "cancelled"}, events);
    end = std::get<attempt_finished>(std::move(events.back()));
  }
  end.state = inference_state::cancelled;
  end.stop.reset();
  end.stop_raw.reset();
  end.error.reset();
  tell({std::move(end)});
}

// The end of an attempt whose answer is no stream of ours.
attempt_finished answer_reader::refused() const {
  auto answered = "provider " + name_ + " answered " + std::to_string(head_.status);
  auto succeeded = head_.status >= 200 && head_.status <= 299;
  auto redirected = head_.status >= 300 && head_.status <= 399;
  if (auto coding = coding_of(head_); !coding.empty() && !redirected) {
    auto error = succeeded ? wire_error{{"unknown", head_.status, false, {}}, std::nullopt}
                           : format_->read_error(head_, {});
    error.error.message = answered + " with a body in the content-encoding " + excerpt(coding)
        + ", which the request rules out; a proxy stands between: turn its compression off";
    return ended_by(std::move(error.error), error.retry_after_ms);
  }
  if (succeeded) {
    auto type = head_.media_type();
    return ended_by({"network", head_.status, true,
        answered + " with " + (type.empty() ? "no content type" : excerpt(type))
            + " instead of an event stream; a proxy may stand between: " + excerpt(body_)});
  }
  auto error = format_->read_error(head_, body_);
  if (redirected)
    error.error.message =
        "redirects are refused, since the key would go along; set base_url to the final address ("
        + excerpt(head_.find("location").value_or("no location given")) + ")";
  error.error.message = answered + ": " + error.error.message;
  return ended_by(std::move(error.error), error.retry_after_ms);
}

void answer_reader::tell(std::vector<stream_event> events) {
  if (auto* end = std::get_if<attempt_finished>(&events.back()); end != nullptr && end->error)
    end->error->message = key_.redact(std::move(end->error->message));
  sink_(std::move(events));
}

} // namespace troupe::providers
