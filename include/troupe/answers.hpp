// What an agent answers with.
#pragma once

#include "messages/event.hpp"
#include "messages/result.hpp"

#include <functional>

namespace troupe {

/// A message that is committed.
struct accepted {
  std::string message_id;
  std::int64_t seq = 0;   ///< of its event
  bool duplicate = false; ///< it had been accepted before under this id
};

/// What making the context smaller came to.
struct compacted {
  std::int64_t seq = 0; ///< of the event that did it; 0: there was nothing to leave out
  std::optional<std::int64_t> tokens_before{}; ///< of the context's messages, estimated; of a summary
  std::optional<std::int64_t> tokens_after{};
  std::size_t cleared = 0; ///< results that are shown no more
};

/// How a session stands.
struct standing {
  std::string status;                  ///< `idle`, `running`, `waiting` for somebody, `failed` or `closed`
  std::int64_t head = 0;               ///< its newest event
  std::string run_id;                  ///< of the open run; empty: none
  std::optional<failure> last_error{}; ///< that the last run ended in
  std::string provider;
  std::string model;
};

/// A call that waits for somebody.
struct open_decision {
  /// `permission` is answered by `allow` and `deny` with `id`, `uncertain` by `give_verdict`.
  enum class kind { permission, uncertain };
  kind what = kind::permission;
  std::string id; ///< of the decision, or of the execution that is uncertain
  std::string tool;
  json::raw arguments;
};

/// Gets an answer, once: on a thread of the system, where it must be quick and not wait, or at once, on the
/// asking one, where nothing had to be asked. What it throws is logged and goes no further.
template <class T> using then = std::function<void(result<T>)>;

} // namespace troupe
