// Tool calls put together from the fragments of a stream, also where a server numbers them badly.
#pragma once

#include "messages/json.hpp"

#include <map>
#include <vector>

namespace troupe::providers::openai_chat {

/// What one entry of `tool_calls` says; what it doesn't say is absent or empty.
struct call_fragment {
  std::optional<std::int64_t> index;
  std::string id;
  std::string name;
  std::string arguments;
};

/// Sees by its brackets whether a text is one whole JSON object; each byte is looked at once.
class object_watch {
 public:
  void add(std::string_view text);
  bool closed() const { return opened_ && depth_ == 0; }

 private:
  std::int64_t depth_ = 0;
  bool opened_ = false;
  bool in_string_ = false;
  bool escaped_ = false;
};

struct assembled_call {
  std::int64_t block = -1; ///< our index, once it is told
  std::string id;          ///< empty if the server gives none: the context names it then
  std::string name;
  std::string arguments;
  object_watch watch;
};

/// The calls of one answer. A fragment belongs by its index, else by its id, else to the newest call;
/// another id, or a name where the call before is whole, begins a new one.
class call_assembly {
 public:
  /// The call that the fragment went into, as a position in `calls`; the fragment is one of `row`, at
  /// `place`.
  std::size_t add(const call_fragment& fragment, std::size_t place, std::size_t row);

  std::vector<assembled_call>& calls() { return calls_; }
  const std::vector<assembled_call>& calls() const { return calls_; }

 private:
  std::size_t find(const call_fragment& fragment, std::size_t place, std::size_t row) const;
  bool begins_anew(const assembled_call& call, const call_fragment& fragment) const;

  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<assembled_call> calls_;
  std::map<std::int64_t, std::size_t> by_index_; ///< the newest of an index
  std::map<std::string, std::size_t> by_id_;
};

} // namespace troupe::providers::openai_chat
