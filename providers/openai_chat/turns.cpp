// Messages and their parts written one by one; what can't be said here is left out.
#include "providers/openai_chat/turns.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::providers::openai_chat {

namespace {

constexpr std::size_t name_bytes_max = 64; // the service takes no longer names
constexpr std::size_t id_bytes_max = 40;   // and no longer ids

// Another provider's id may be longer. The same one becomes the same again, at the call and its result.
std::string wire_id(const std::string& id) {
  static constexpr std::size_t digits = 32;
  return id.size() <= id_bytes_max ? id : "call_" + hex(sha256_of(id)).substr(0, digits);
}

std::string data_url(
    const std::optional<std::string>& media_type, std::string_view otherwise, const std::string& base64) {
  return "data:" + media_type.value_or(std::string(otherwise)) + ";base64," + base64;
}

// What another than OpenAI reads back as JSON must be an object, and the model should see what it wrote.
std::string shown_arguments(const std::string& raw) {
  if (auto lawful = json::compact(raw); lawful && lawful->type == json::kind::object)
    return raw;
  json::writer out;
  out.begin_object().field("arguments_raw", raw).end_object();
  return out.take();
}

} // namespace

void conversation::add(const message& said) {
  if (said.role == "assistant")
    return add_answer(said);
  if (said.role == "tool")
    return add_result(said);
  if (said.role != "system")
    return add_parts(said.parts);
  if (auto text = texts_.as_system_text(said.parts); !text.empty())
    last().user.push_back({std::move(text), {}});
}

// An answer of which nothing is left begins no turn, so that what the user said around it is merged.
std::vector<turn> conversation::take() {
  std::erase_if(turns_, [](const turn& one) { return one.empty(); });
  return std::move(turns_);
}

turn& conversation::last() {
  if (turns_.empty())
    turns_.emplace_back();
  return turns_.back();
}

void conversation::add_answer(const message& said) {
  turn next;
  for (const auto& block : said.blocks) {
    if (const auto* words = std::get_if<text_block>(&block)) {
      if (const auto& text = texts_.content_of(words->text); !is_blank(text))
        next.answer.push_back({text, {}});
    } else if (const auto* call = std::get_if<tool_call_block>(&block)) {
      next.calls.push_back(call_json(*call));
    }
  }
  if (!next.empty())
    turns_.push_back(std::move(next));
}

std::string conversation::call_json(const tool_call_block& call) {
  json::writer out;
  out.begin_object().field("id", wire_id(call.call_id)).field("type", "function");
  out.key("function").begin_object().field("name", lawful_name(call.name, name_bytes_max));
  out.field("arguments",
      call.arguments ? call.arguments->text
                     : shown_arguments(call.arguments_raw ? texts_.content_of(*call.arguments_raw) : ""));
  out.end_object().end_object();
  return out.take();
}

// A result is text; its pictures follow as the user's, after the last result of the answer.
void conversation::add_result(const message& said) {
  auto id = wire_id(said.call_id.value_or(""));
  json::writer out;
  out.begin_object()
      .field("role", "tool")
      .field("tool_call_id", id)
      .field("content", texts_.joined(said.parts))
      .end_object();
  last().results.push_back(out.take());
  std::vector<content_part> others;
  std::copy_if(said.parts.begin(), said.parts.end(), std::back_inserter(others),
      [](const auto& part) { return !std::holds_alternative<text_part>(part); });
  if (others.empty())
    return;
  last().user.push_back({"<system>The result of " + id + " holds this:</system>", {}});
  add_parts(others);
}

void conversation::add_parts(const std::vector<content_part>& parts) {
  for (const auto& part : parts) {
    if (const auto* words = std::get_if<text_part>(&part)) {
      if (const auto& text = texts_.content_of(words->text); !is_blank(text))
        last().user.push_back({text, {}});
    } else if (const auto* image = std::get_if<image_part>(&part)) {
      if (auto written = media(*image))
        last().user.push_back(std::move(*written));
    } else if (auto written = media(std::get<document_part>(part))) {
      last().user.push_back(std::move(*written));
    }
  }
}

std::optional<wire_part> conversation::media(const image_part& image) {
  if (!image.data && !image.url)
    return std::nullopt;
  json::writer out;
  out.begin_object().field("type", "image_url").key("image_url").begin_object();
  out.field("url",
      image.data ? data_url(image.media_type, "image/png", texts_.content_of(*image.data)) : *image.url);
  out.end_object().end_object();
  return wire_part{std::nullopt, out.take()};
}

// The service takes no address of a document, but the model may have a tool that does.
std::optional<wire_part> conversation::media(const document_part& document) {
  if (!document.data && !document.url)
    return std::nullopt;
  if (!document.data)
    return wire_part{"<system>A document that isn't shown here: " + *document.url + "</system>", {}};
  json::writer out;
  out.begin_object().field("type", "file").key("file").begin_object();
  out.field("filename", document.name.value_or("document.pdf"));
  out.field("file_data", data_url(document.media_type, "application/pdf", texts_.content_of(*document.data)));
  out.end_object().end_object();
  return wire_part{std::nullopt, out.take()};
}

} // namespace troupe::providers::openai_chat
