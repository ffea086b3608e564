// From the bytes of a stream to the one event that ends the attempt.
#include "providers/answer_stream.hpp"

#include "messages/text.hpp"

#include <algorithm>

namespace troupe::providers {

bool answer_stream::fail(std::string message) {
  return fail(failure{"invalid_request", std::nullopt, false, std::move(message)});
}

bool answer_stream::fail(failure error) {
  if (!failed_)
    failed_ = std::move(error);
  return false;
}

bool answer_stream::count(std::size_t bytes) {
  bytes_ += bytes;
  return bytes_ <= answer_bytes_max
      || fail("the provider's answer is over " + std::to_string(answer_bytes_max) + " bytes");
}

std::optional<std::int64_t> answer_stream::next_block() {
  if (next_index_ < static_cast<std::int64_t>(blocks_max))
    return next_index_++;
  fail("the provider's answer has more than " + std::to_string(blocks_max) + " blocks");
  return std::nullopt;
}

std::optional<json::value> answer_stream::object_of(const sse_event& event) {
  auto parsed = json::parse(event.data);
  if (parsed && parsed->is(json::kind::object))
    return std::move(*parsed);
  fail("the provider sent an event that is no JSON object: " + std::string(utf8_prefix(event.data, 200)));
  return std::nullopt;
}

void answer_stream::keep_frames_within(std::size_t bytes) {
  frame_max_ = bytes;
  sse_ = sse_decoder(bytes);
}

bool answer_stream::feed(std::string_view bytes, std::vector<stream_event>& events) {
  if (failed_)
    return false;
  read_.clear();
  auto fits = sse_.feed(bytes, read_);
  for (const auto& event : read_)
    if (!take(event, events))
      return false;
  return fits
      || fail("an event of the provider's stream is over " + std::to_string(frame_max_)
          + " bytes (frame_bytes_max)");
}

// What came last without its blank line counts if it is whole: a proxy may have lost the end.
void answer_stream::finish(std::optional<failure> cut, std::vector<stream_event>& events) {
  if (!failed_)
    if (auto rest = sse_.finish())
      if (json::parse(rest->data))
        take(*rest, events);
  if (!failed_ && stop_raw_)
    check_whole();
  if (!failed_ && !stop_raw_) {
    if (cut)
      failed_ = std::move(*cut);
    else
      fail("provider stream ended without a stop event");
  }
  attempt_finished end;
  end.state = failed_ ? inference_state::error : inference_state::completed;
  end.error = failed_;
  if (!failed_) {
    end.stop = stop_name();
    end.stop_raw = stop_raw_;
  }
  end.usage = usage();
  end.response_id = response_id_;
  end.response_model = response_model_;
  events.push_back(std::move(end));
}

bool whole_answer::feed(std::string_view bytes, std::vector<stream_event>&) {
  body_.append(bytes.substr(0, body_max_ + 1 - std::min(body_max_ + 1, body_.size())));
  return body_.size() <= body_max_;
}

void whole_answer::finish(std::optional<failure> cut, std::vector<stream_event>& events) {
  if (body_.size() > body_max_)
    cut = failure{"invalid_request", std::nullopt, false,
        "the provider's answer is over " + std::to_string(body_max_) + " bytes (frame_bytes_max)"};
  tell(to_utf8(body_), std::move(cut), events);
}

} // namespace troupe::providers
