// The stream of a completion: each chunk checked against what may come now, and passed on.
//
//   (thinking | text | refusal | fragments of calls)* ─▶ finish_reason ─▶ usage? ─▶ [DONE]
//
// Without a finish_reason no call is finished, so that none can run; a breach ends the attempt.
#include "providers/openai_chat/decode.hpp"

namespace troupe::providers::openai_chat {

bool stream_decoder::take(const sse_event& event, std::vector<stream_event>& events) {
  if (event.data.empty())
    return true;
  if (event.data == "[DONE]") {
    done_ = true;
    return true;
  }
  auto chunk = object_of(event);
  if (!chunk)
    return false;
  auto error = error_in(*chunk);
  if (!error && event.type == "error")
    error.emplace();
  if (error) {
    auto failed = failure_of(*error);
    failed.message = "the provider ended its stream with " + (error->type.empty() ? "an error" : error->type)
        + (error->message.empty() ? "" : ": " + error->message);
    return fail(std::move(failed));
  }
  if (done_)
    return fail("the provider's stream went on after its end");
  auto keep = [](std::optional<std::string>& name, std::string told) {
    if (!name && !told.empty())
      name = std::move(told);
  };
  keep(response_id_, string_at(&*chunk, "id"));
  keep(response_model_, string_at(&*chunk, "model"));
  take_usage(chunk->find("usage"));
  if (const auto* choices = chunk->find("choices"))
    for (const auto& choice : choices->items())
      if (!take_choice(choice, events))
        return false;
  return true; // members and chunks of a new kind may appear at any time
}

bool stream_decoder::take_choice(const json::value& choice, std::vector<stream_event>& events) {
  if (number_at(&choice, "index").value_or(0) != 0)
    return fail("the provider sent more than one choice, which nobody asked for");
  take_usage(choice.find("usage"));
  const auto* delta = choice.find("delta");
  if (delta != nullptr && !take_delta(*delta, events))
    return false;
  auto reason = string_at(&choice, "finish_reason");
  return reason.empty() || take_stop(reason, events);
}

bool stream_decoder::take_delta(const json::value& delta, std::vector<stream_event>& events) {
  for (std::string_view name : {"reasoning_content", "reasoning", "reasoning_text"})
    if (auto thought = string_at(&delta, name); !thought.empty()) {
      if (!add_text(block_kind::thinking, thought, events))
        return false;
      break; // a server that has two of them says the same in both
    }
  if (const auto* content = delta.find("content"); content != nullptr && !take_content(*content, events))
    return false;
  if (auto refusal = string_at(&delta, "refusal"); !refusal.empty()) {
    refused_ = true;
    if (!add_text(block_kind::text, refusal, events))
      return false;
  }
  if (const auto* old = delta.find("function_call"); old != nullptr && old->is(json::kind::object))
    return fail("the provider sent a function_call, the form before tool_calls, which nobody asked for");
  const auto* calls = delta.find("tool_calls");
  return calls == nullptr || take_calls(*calls, events);
}

// Text, or a list of parts as some servers have it.
bool stream_decoder::take_content(const json::value& content, std::vector<stream_event>& events) {
  if (content.is(json::kind::string))
    return add_text(block_kind::text, content.as_string(), events);
  if (content.is(json::kind::null))
    return true;
  for (const auto& part : content.items()) {
    auto type = string_at(&part, "type");
    if (type != "text")
      return fail("the provider sent content of the kind \"" + type + "\", which isn't known here");
    if (!add_text(block_kind::text, string_at(&part, "text"), events))
      return false;
  }
  return content.is(json::kind::array) || fail("the provider sent content that is no text");
}

bool stream_decoder::add_text(block_kind kind, const std::string& piece, std::vector<stream_event>& events) {
  if (piece.empty())
    return true;
  if (!may_go_on())
    return false;
  if (text_ && text_->kind != kind)
    close_text(events);
  if (!text_) {
    auto index = next_block();
    if (!index)
      return false;
    text_ = open_text{*index, kind, {}};
    events.push_back(block_started{*index, kind, {}, {}});
  }
  text_->text += piece;
  events.push_back(block_delta{text_->index, kind, piece});
  return count(piece.size());
}

void stream_decoder::close_text(std::vector<stream_event>& events) {
  if (!text_)
    return;
  if (text_->kind == block_kind::text)
    events.push_back(block_finished{text_->index, text_block{std::move(text_->text)}});
  else
    events.push_back(
        block_finished{text_->index, thinking_block{std::move(text_->text), std::nullopt, std::nullopt}});
  text_.reset();
}

bool stream_decoder::may_go_on() {
  return !stop_raw_ || fail("the provider's stream went on after its finish_reason " + *stop_raw_);
}

bool stream_decoder::take_stop(const std::string& reason, std::vector<stream_event>& events) {
  if (stop_raw_)
    return *stop_raw_ == reason
        || fail("the provider's stream had two finish_reasons, " + *stop_raw_ + " and " + reason);
  stop_raw_ = reason;
  close_text(events);
  return close_calls(events);
}

// The numbers are totals; null and absent say nothing new.
void stream_decoder::take_usage(const json::value* said) {
  auto overwrite = [](std::optional<std::int64_t>& number, std::optional<std::int64_t> told) {
    if (told && *told >= 0)
      number = told;
  };
  if (said == nullptr)
    return;
  overwrite(prompt_, number_at(said, "prompt_tokens"));
  overwrite(completion_, number_at(said, "completion_tokens"));
  overwrite(total_, number_at(said, "total_tokens"));
  overwrite(cached_, number_at(said, "prompt_cache_hit_tokens"));
  overwrite(cached_, number_at(said->find("prompt_tokens_details"), "cached_tokens"));
  overwrite(cache_write_, number_at(said->find("prompt_tokens_details"), "cache_write_tokens"));
  overwrite(reasoning_, number_at(said->find("completion_tokens_details"), "reasoning_tokens"));
}

// Cached tokens are inside the prompt's, and reasoning inside the completion's; of a vendor that counts
// it beside them the total tells.
troupe::usage stream_decoder::usage() const {
  troupe::usage told;
  told.input_tokens = prompt_;
  told.output_tokens = completion_;
  told.cache_read_tokens = cached_;
  told.cache_write_tokens = cache_write_;
  told.reasoning_tokens = reasoning_;
  if (prompt_ && completion_ && reasoning_ && total_ && *prompt_ <= *total_
      && *completion_ <= *total_ - *prompt_ && *total_ - *prompt_ - *completion_ == *reasoning_)
    told.output_tokens = *total_ - *prompt_;
  return told;
}

} // namespace troupe::providers::openai_chat
