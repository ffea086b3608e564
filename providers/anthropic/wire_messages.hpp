// The messages of a request as the service takes them: roles merged, results first, nothing empty.
#pragma once

#include "providers/context_text.hpp"

namespace troupe::providers::anthropic {

struct wire_block {
  std::string json;
  bool cacheable = true;
  bool thinking = false;
};

/// One message as it is sent: what has one role and stands in a row is one.
struct wire_message {
  bool assistant = false;
  std::vector<wire_block> results; ///< they come before everything else of the message
  std::vector<wire_block> blocks;
};

wire_block text_of(std::string_view text);

/// Collects the messages of a context in order; the first text that isn't at hand is its fault.
class conversation {
 public:
  void add(const message& said);
  std::vector<wire_message> take();
  const std::optional<problem>& fault() const { return texts_.fault(); }

 private:
  wire_message& last(bool assistant);
  void add_system(const message& said);
  void add_result(const message& said);
  void add_answer(const message& said);
  std::vector<wire_block> parts(const std::vector<content_part>& content);
  std::string media(std::string_view type, const std::optional<std::string>& media_type,
      const std::optional<large_text>& data, const std::optional<std::string>& url,
      const std::optional<std::string>& name);
  std::optional<wire_block> answer_block(const text_block& block);
  std::optional<wire_block> answer_block(const thinking_block& block);
  std::optional<wire_block> answer_block(const tool_call_block& block);
  std::optional<wire_block> answer_block(const server_tool_call_block& block);
  std::optional<wire_block> answer_block(const server_tool_result_block& block);
  std::optional<wire_block> servers(const json::raw& body, std::string_view type_default);

  std::vector<wire_message> messages_;
  context_texts texts_;
};

} // namespace troupe::providers::anthropic
