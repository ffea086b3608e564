// Sums over blocks and parts.
#include "session/context_size.hpp"

namespace troupe::session {

namespace {

constexpr std::int64_t bytes_a_token = 4;
constexpr std::int64_t picture_tokens = 1200;
constexpr std::int64_t call_tokens = 20;
constexpr std::int64_t result_tokens = 10;

std::int64_t of_bytes(std::size_t bytes) {
  return (static_cast<std::int64_t>(bytes) + bytes_a_token - 1) / bytes_a_token;
}

std::size_t bytes_of(const large_text& text) {
  return text.ref ? static_cast<std::size_t>(text.ref->bytes) : text.text.size();
}

struct bytes_of_block {
  std::size_t operator()(const text_block& it) const { return bytes_of(it.text); }
  std::size_t operator()(const thinking_block& it) const {
    return bytes_of(it.text) + (it.signature ? it.signature->size() : 0);
  }
  std::size_t operator()(const tool_call_block& it) const {
    return it.name.size() + (it.arguments ? it.arguments->text.size() : 0)
        + (it.arguments_raw ? bytes_of(*it.arguments_raw) : 0);
  }
  std::size_t operator()(const server_tool_call_block& it) const { return it.body.text.size(); }
  std::size_t operator()(const server_tool_result_block& it) const { return it.body.text.size(); }
};

struct bytes_of_part {
  std::size_t operator()(const text_part& it) const { return bytes_of(it.text); }
  std::size_t operator()(const image_part& it) const { return it.data ? bytes_of(*it.data) : 0; }
  std::size_t operator()(const document_part& it) const { return it.data ? bytes_of(*it.data) : 0; }
};

} // namespace

std::int64_t source_bytes(const message& message) {
  std::size_t sum = 0;
  for (const auto& part : message.parts)
    sum += std::visit(bytes_of_part(), part);
  for (const auto& block : message.blocks)
    sum += std::visit(bytes_of_block(), block);
  return static_cast<std::int64_t>(sum);
}

std::int64_t estimated_tokens(const message& message) {
  std::int64_t sum = message.role == "tool" ? result_tokens : 1;
  for (const auto& part : message.parts)
    sum += std::holds_alternative<text_part>(part) ? of_bytes(std::visit(bytes_of_part(), part))
                                                   : picture_tokens;
  for (const auto& block : message.blocks)
    sum += of_bytes(std::visit(bytes_of_block(), block))
        + (std::holds_alternative<tool_call_block>(block) ? call_tokens : 0);
  return sum;
}

std::int64_t fixed_tokens(const state& now) { return of_bytes(now.fixed_bytes); }

std::int64_t estimated_tokens(std::span<const context_entry> entries) {
  std::int64_t sum = 0;
  for (const auto& entry : entries)
    sum += estimated_tokens(entry.message);
  return sum;
}

std::int64_t context_tokens(const state& now) {
  std::int64_t sum = now.measured ? now.measured->tokens : fixed_tokens(now);
  now.context.newest_first([&](const context_entry& entry) {
    if (now.measured && entry.seq <= now.measured->seq)
      return false;
    sum += estimated_tokens(entry.message);
    return true;
  });
  return sum;
}

} // namespace troupe::session
