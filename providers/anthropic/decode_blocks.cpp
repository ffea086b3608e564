// The blocks of a Messages stream: opened, added to, and closed as what is kept.
#include "providers/anthropic/decode.hpp"

namespace troupe::providers::anthropic {

namespace {

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

bool stream_decoder::start_block(const json::value& event, std::vector<stream_event>& events) {
  auto at = number_at(&event, "index");
  const auto* block = event.find("content_block");
  if (!at || block == nullptr)
    return fail("the provider began a block without an index or without content");
  if (open_.count(*at) > 0)
    return fail("the provider began block " + std::to_string(*at) + " twice");
  auto index = next_block();
  if (!index)
    return false;
  auto type = string_at(block, "type");
  open_block opened;
  opened.index = *index;
  if (type == "text") {
    opened.text = string_at(block, "text");
  } else if (type == "compaction") { // what stands for the messages is a text; null is none
    opened.text = string_at(block, "content");
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
  else if (type == "compaction_delta" && block.kind == block_kind::text)
    piece = string_at(delta, "content");
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

} // namespace troupe::providers::anthropic
