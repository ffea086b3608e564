// The stream of a Messages answer: each event checked against what may come now, and passed on.
//
//   message_start ─▶ (content_block_start ─▶ delta* ─▶ content_block_stop)* ─▶ message_delta+ ─▶ message_stop
//
// A breach ends the attempt as `invalid_request`; what was finished before stays.
#include "providers/anthropic/decode.hpp"

namespace troupe::providers::anthropic {

bool stream_decoder::take(const sse_event& event, std::vector<stream_event>& events) {
  if (event.data.empty() || event.type == "ping")
    return true;
  auto parsed = object_of(event);
  if (!parsed)
    return false;
  auto type = string_at(&*parsed, "type");
  if (type.empty())
    type = event.type;
  if (type == "ping")
    return true;
  if (type == "error")
    return take_error(*parsed), false;
  auto known = type == "message_start" || type == "content_block_start" || type == "content_block_delta"
      || type == "content_block_stop" || type == "message_delta" || type == "message_stop";
  if (!known)
    return true; // new types of events may appear at any time
  if (done_ || (stop_raw_ && type != "message_delta" && type != "message_stop"))
    return fail("the provider's stream went on after its stop event, with " + type);
  if (type == "message_start") {
    if (begun_)
      return fail("the provider's stream began twice");
    take_message_start(*parsed);
  } else if (type == "content_block_start") {
    return start_block(*parsed, events);
  } else if (type == "content_block_delta") {
    return add_delta(*parsed, events);
  } else if (type == "content_block_stop") {
    stop_block(*parsed, events);
  } else if (type == "message_delta") {
    return take_message_delta(*parsed);
  } else {
    done_ = true;
  }
  return true;
}

void stream_decoder::take_message_start(const json::value& event) {
  begun_ = true;
  const auto* message = event.find("message");
  if (auto id = string_at(message, "id"); !id.empty())
    response_id_ = std::move(id);
  if (auto model = string_at(message, "model"); !model.empty())
    response_model_ = std::move(model);
  if (message != nullptr)
    take_usage(message->find("usage"));
}

// The numbers are totals; null and absent say nothing new.
void stream_decoder::take_usage(const json::value* said) {
  auto overwrite = [](std::optional<std::int64_t>& number, std::optional<std::int64_t> told) {
    if (told && *told >= 0)
      number = told;
  };
  overwrite(input_, number_at(said, "input_tokens"));
  overwrite(cache_read_, number_at(said, "cache_read_input_tokens"));
  overwrite(cache_write_, number_at(said, "cache_creation_input_tokens"));
  overwrite(output_, number_at(said, "output_tokens"));
  if (said != nullptr)
    overwrite(reasoning_, number_at(said->find("output_tokens_details"), "thinking_tokens"));
}

bool stream_decoder::take_message_delta(const json::value& event) {
  take_usage(event.find("usage"));
  auto reason = string_at(event.find("delta"), "stop_reason");
  if (reason.empty())
    return true;
  if (stop_raw_)
    return fail("the provider's stream had two stop events, " + *stop_raw_ + " and " + reason);
  stop_raw_ = std::move(reason);
  return true;
}

void stream_decoder::take_error(const json::value& event) {
  const auto* error = event.find("error");
  auto type = string_at(error, "type");
  auto message = string_at(error, "message");
  const auto* details = error != nullptr ? error->find("details") : nullptr;
  auto failed = failure_of_type(type, string_at(details, "error_code"), std::move(message));
  failed.message = "the provider ended its stream with " + (type.empty() ? "an error" : type)
      + (failed.message.empty() ? "" : ": " + failed.message);
  fail(std::move(failed));
}

void stream_decoder::check_whole() {
  if (!open_.empty())
    fail("the provider's stream stopped inside block " + std::to_string(open_.begin()->second.index));
}

troupe::usage stream_decoder::usage() const {
  troupe::usage told;
  if (input_)
    told.input_tokens = *input_ + cache_read_.value_or(0) + cache_write_.value_or(0);
  told.output_tokens = output_;
  told.cache_read_tokens = cache_read_;
  told.cache_write_tokens = cache_write_;
  told.reasoning_tokens = reasoning_;
  return told;
}

} // namespace troupe::providers::anthropic
