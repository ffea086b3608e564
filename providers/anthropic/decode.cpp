// The stream of a Messages answer: each event checked against what may come now, and passed on.
//
//   message_start ─▶ (content_block_start ─▶ delta* ─▶ content_block_stop)* ─▶ message_delta+ ─▶ message_stop
//
// A breach ends the attempt as `invalid_request`; what was finished before stays.
#include "providers/anthropic/decode.hpp"

#include "messages/text.hpp"

namespace troupe::providers::anthropic {

namespace {

std::string string_at(const json::value* in, std::string_view key) {
  const auto* found = in != nullptr ? in->find(key) : nullptr;
  return found != nullptr ? found->as_string() : std::string();
}

std::optional<std::int64_t> number_at(const json::value* in, std::string_view key) {
  const auto* found = in != nullptr ? in->find(key) : nullptr;
  return found != nullptr ? found->as_int64() : std::nullopt;
}

// A server's block without its `type`, which is kept as `provider_type`, and with the input that
// came in pieces in its place.
std::string server_body(const json::value& block, std::string_view input) {
  json::writer out;
  out.begin_object().field("provider_type", string_at(&block, "type"));
  for (const auto& [key, value] : block.members()) {
    if (key == "type")
      continue;
    auto whole = key == "input" && !input.empty() ? json::compact(input) : json::compact(value.source());
    if (!whole)
      whole = json::compact(value.source());
    out.key(key).raw_text(whole ? whole->text.text : "null");
  }
  out.end_object();
  return out.take();
}

} // namespace

bool stream_decoder::fail(std::string message) {
  if (!failed_)
    failed_ = failure{"invalid_request", std::nullopt, false, std::move(message)};
  return false;
}

bool stream_decoder::count(std::size_t bytes) {
  bytes_ += bytes;
  return bytes_ <= answer_bytes_max
      || fail("the provider's answer is over " + std::to_string(answer_bytes_max) + " bytes");
}

bool stream_decoder::feed(std::string_view bytes, std::vector<stream_event>& events) {
  if (failed_)
    return false;
  read_.clear();
  auto fits = sse_.feed(bytes, read_);
  for (const auto& event : read_)
    if (!take(event, events))
      return false;
  return fits
      || fail("an event of the provider's stream is over " + std::to_string(sse_frame_bytes_max) + " bytes");
}

bool stream_decoder::take(const sse_event& event, std::vector<stream_event>& events) {
  if (event.data.empty() || event.type == "ping")
    return true;
  auto parsed = json::parse(event.data);
  if (!parsed || !parsed->is(json::kind::object))
    return fail(
        "the provider sent an event that is no JSON object: " + std::string(utf8_prefix(event.data, 200)));
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
  if (stopped_ || (stop_raw_ && type != "message_delta" && type != "message_stop"))
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
    stopped_ = true;
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

bool stream_decoder::start_block(const json::value& event, std::vector<stream_event>& events) {
  auto at = number_at(&event, "index");
  const auto* block = event.find("content_block");
  if (!at || block == nullptr)
    return fail("the provider began a block without an index or without content");
  if (open_.count(*at) > 0)
    return fail("the provider began block " + std::to_string(*at) + " twice");
  if (next_index_ >= static_cast<std::int64_t>(blocks_max))
    return fail("the provider's answer has more than " + std::to_string(blocks_max) + " blocks");
  auto type = string_at(block, "type");
  open_block opened;
  opened.index = next_index_++;
  if (type == "text") {
    opened.text = string_at(block, "text");
  } else if (type == "thinking") {
    opened.kind = block_kind::thinking;
    opened.text = string_at(block, "thinking");
    opened.signature = string_at(block, "signature");
  } else if (type == "redacted_thinking") {
    opened.kind = block_kind::thinking;
    opened.redacted = true;
    opened.signature = string_at(block, "data");
  } else if (type == "tool_use") {
    opened.kind = block_kind::tool_call;
    opened.call_id = string_at(block, "id");
    opened.name = string_at(block, "name");
    // the input comes in pieces, or, from some, whole with the start
    const auto* input = block->find("input");
    auto nothing = input == nullptr || input->is(json::kind::null)
        || (input->is(json::kind::object) && input->members().empty());
    if (!nothing)
      opened.text = std::string(input->source());
  } else {
    opened.kind = block_kind::server;
    opened.name = type;
    opened.body = std::string(block->source());
  }
  events.push_back(block_started{
      opened.index, opened.kind, opened.call_id, opened.kind == block_kind::server ? "" : opened.name});
  if (!opened.text.empty())
    events.push_back(block_delta{opened.index, opened.kind, opened.text});
  auto size = block->source().size();
  open_.emplace(*at, std::move(opened));
  return count(size);
}

bool stream_decoder::add_delta(const json::value& event, std::vector<stream_event>& events) {
  auto at = number_at(&event, "index");
  auto found = at ? open_.find(*at) : open_.end();
  if (found == open_.end())
    return fail("the provider sent a piece of block " + (at ? std::to_string(*at) : "without an index")
        + ", which isn't open");
  auto& block = found->second;
  const auto* delta = event.find("delta");
  auto type = string_at(delta, "type");
  std::string piece;
  if (type == "text_delta" && block.kind == block_kind::text)
    piece = string_at(delta, "text");
  else if (type == "thinking_delta" && block.kind == block_kind::thinking)
    piece = string_at(delta, "thinking");
  else if (type == "input_json_delta"
      && (block.kind == block_kind::tool_call || block.kind == block_kind::server))
    piece = string_at(delta, "partial_json");
  else if (type == "signature_delta")
    block.signature += string_at(delta, "signature");
  // citations and what is new are passed over: the answer is whole without them
  if (piece.empty())
    return count(type == "signature_delta" ? block.signature.size() : 0);
  auto size = piece.size();
  block.text += piece;
  if (block.kind != block_kind::server)
    events.push_back(block_delta{block.index, block.kind, std::move(piece)});
  return count(size);
}

void stream_decoder::stop_block(const json::value& event, std::vector<stream_event>& events) {
  auto at = number_at(&event, "index");
  auto found = at ? open_.find(*at) : open_.end();
  if (found == open_.end())
    return;
  auto closed = std::move(found->second);
  open_.erase(found);
  auto finish_as = [&](block made) { events.push_back(block_finished{closed.index, std::move(made)}); };
  switch (closed.kind) {
  case block_kind::text:
    return finish_as(text_block{std::move(closed.text)});
  case block_kind::thinking: {
    thinking_block made{std::move(closed.text), std::nullopt, std::nullopt};
    if (!closed.signature.empty())
      made.signature = std::move(closed.signature);
    if (closed.redacted)
      made.redacted = true;
    return finish_as(std::move(made));
  }
  case block_kind::tool_call:
    return finish_as(make_tool_call(std::move(closed.call_id), std::move(closed.name), closed.text));
  case block_kind::server:
    break;
  }
  auto parsed = json::parse(closed.body);
  json::raw body{parsed ? server_body(*parsed, closed.text) : "{}"};
  if (closed.name == "server_tool_use")
    finish_as(server_tool_call_block{std::move(body)});
  else
    finish_as(server_tool_result_block{std::move(body)});
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
  failed_ = failure_of_type(type, string_at(details, "error_code"), std::move(message));
  failed_->message = "the provider ended its stream with " + (type.empty() ? "an error" : type)
      + (failed_->message.empty() ? "" : ": " + failed_->message);
}

// What came last without its blank line counts if it is whole: a proxy may have lost the end.
void stream_decoder::finish(std::optional<failure> cut, std::vector<stream_event>& events) {
  if (!failed_)
    if (auto rest = sse_.finish())
      if (json::parse(rest->data))
        take(*rest, events);
  if (!failed_ && stop_raw_ && !open_.empty())
    fail("the provider's stream stopped inside block " + std::to_string(open_.begin()->second.index));
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
    end.stop = stop_name(*stop_raw_);
    end.stop_raw = stop_raw_;
  }
  if (input_)
    end.usage.input_tokens = *input_ + cache_read_.value_or(0) + cache_write_.value_or(0);
  end.usage.output_tokens = output_;
  end.usage.cache_read_tokens = cache_read_;
  end.usage.cache_write_tokens = cache_write_;
  end.usage.reasoning_tokens = reasoning_;
  end.response_id = response_id_;
  end.response_model = response_model_;
  events.push_back(std::move(end));
}

} // namespace troupe::providers::anthropic
