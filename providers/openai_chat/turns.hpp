// A context as the service takes it: turns of an answer, the results of its calls, and what was said then.
#pragma once

#include "providers/context_text.hpp"

namespace troupe::providers::openai_chat {

/// A text, or a part that is written already.
struct wire_part {
  std::optional<std::string> text;
  std::string json;
};

/// The order of the lists is the order on the wire, so that no result is apart from its call.
struct turn {
  std::vector<wire_part> answer;
  std::vector<std::string> calls;   ///< JSON, in the answer's order
  std::vector<std::string> results; ///< JSON, whole messages
  std::vector<wire_part> user;
  bool empty() const { return answer.empty() && calls.empty() && results.empty() && user.empty(); }
};

/// Collects the messages of a context in order; the first text that isn't at hand is its fault.
class conversation {
 public:
  void add(const message& said);
  std::vector<turn> take();
  const std::optional<problem>& fault() const { return texts_.fault(); }

 private:
  void add_answer(const message& said);
  void add_result(const message& said);
  void add_parts(const std::vector<content_part>& parts);
  turn& last();
  std::string call_json(const tool_call_block& call);
  std::optional<wire_part> media(const image_part& image);
  std::optional<wire_part> media(const document_part& document);

  std::vector<turn> turns_;
  context_texts texts_;
};

} // namespace troupe::providers::openai_chat
