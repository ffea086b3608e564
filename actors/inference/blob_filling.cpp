// Walks the messages' big texts, wherever they stand.
#include "actors/inference/blob_filling.hpp"

#include <caf/event_based_actor.hpp>

namespace troupe::actors {

namespace {

// Constant or not, as the messages are: looking costs no copy of the context.
template <class Parts, class Visit> void visit_parts(Parts& parts, const Visit& visit) {
  for (auto& part : parts) {
    if (auto* const text = std::get_if<text_part>(&part))
      visit(text->text);
    if (auto* const image = std::get_if<image_part>(&part); image && image->data)
      visit(*image->data);
    if (auto* const document = std::get_if<document_part>(&part); document && document->data)
      visit(*document->data);
  }
}

template <class Blocks, class Visit> void visit_blocks(Blocks& blocks, const Visit& visit) {
  for (auto& block : blocks) {
    if (auto* const text = std::get_if<text_block>(&block))
      visit(text->text);
    if (auto* const thinking = std::get_if<thinking_block>(&block))
      visit(thinking->text);
    if (auto* const call = std::get_if<tool_call_block>(&block); call && call->arguments_raw)
      visit(*call->arguments_raw);
  }
}

template <class Message, class Visit> void visit_message(Message& message, const Visit& visit) {
  visit_parts(message.parts, visit);
  visit_blocks(message.blocks, visit);
}

void add_missing(std::vector<std::string>& names, const message& of) {
  visit_message(of, [&](const large_text& text) {
    if (text.ref && !text.loaded)
      names.push_back(text.ref->blob);
  });
}

template <class Messages> std::vector<std::string> missing_in(const Messages& messages) {
  std::vector<std::string> names;
  for (const auto& message : messages)
    add_missing(names, message);
  return names;
}

void fill(
    message& of, const std::map<std::string, std::string>& contents, std::optional<std::string>& absent) {
  visit_message(of, [&](large_text& text) {
    if (!text.ref || text.loaded)
      return;
    const auto found = contents.find(text.ref->blob);
    if (found == contents.end()) {
      absent = text.ref->blob;
      return;
    }
    text.text = found->second;
    text.loaded = true;
  });
}

template <class Messages>
void fill_from(caf::event_based_actor* self, const node_parts& parts, std::int32_t tenant, Messages& messages,
    std::function<void(result<void>)> then) {
  const auto missing = missing_in(messages);
  if (missing.empty())
    return then({});
  self->request(parts.archive, std::chrono::seconds(60), read_blobs{tenant, missing})
      .then(
          [&messages, then](const blobs_answer& answer) {
            if (!answer.blobs)
              return then(answer.blobs.error());
            if (const auto absent = fill_blobs(messages, *answer.blobs))
              return then(
                  problem{problem_code::corrupt, "the stored content " + *absent + " is missing", {}});
            then({});
          },
          [then](const caf::error& failed) {
            then(problem{problem_code::unavailable,
                "stored content could not be read: " + caf::to_string(failed), {}});
          });
}

} // namespace

std::vector<std::string> missing_blobs(const std::vector<message>& messages) { return missing_in(messages); }

std::optional<std::string> fill_blobs(
    std::vector<message>& messages, const std::map<std::string, std::string>& contents) {
  std::optional<std::string> absent;
  for (auto& message : messages)
    fill(message, contents, absent);
  return absent;
}

// Who shares a message with the list goes on without its content.
std::optional<std::string> fill_blobs(
    message_list& messages, const std::map<std::string, std::string>& contents) {
  std::optional<std::string> absent;
  for (std::size_t n = 0; n < messages.size(); ++n) {
    std::vector<std::string> missing;
    add_missing(missing, messages[n]);
    if (missing.empty())
      continue;
    auto whole = messages[n];
    fill(whole, contents, absent);
    messages.replace(n, std::move(whole));
  }
  return absent;
}

void fill_from_archive(caf::event_based_actor* self, const node_parts& parts, std::int32_t tenant,
    std::vector<message>& messages, std::function<void(result<void>)> then) {
  fill_from(self, parts, tenant, messages, std::move(then));
}

void fill_from_archive(caf::event_based_actor* self, const node_parts& parts, std::int32_t tenant,
    message_list& messages, std::function<void(result<void>)> then) {
  fill_from(self, parts, tenant, messages, std::move(then));
}

void show_texts(std::vector<message>& messages) {
  for (auto& message : messages)
    visit_message(message, [](large_text& text) {
      if (text.loaded)
        text.ref.reset();
    });
}

} // namespace troupe::actors
