// What a session waits for a person to say: asked on the terminal, or answered by a flag.
#pragma once

#include "actors/node.hpp"

#include <functional>
#include <set>

namespace troupe::cli {

struct answers {
  std::string approve; ///< `ask`, `allow`, `deny`; empty: not said
  std::string verdict; ///< `rerun`, `abandon`; empty: not said
  /// Shows a question and gives the line that answers it, absent at the end; empty: nobody is there.
  std::function<std::optional<std::string>(const std::string& question)> read;
  std::set<std::string> uncertain_since; ///< executions that turned out uncertain only in this process
};

/// Puts everything that waits to whoever can answer. False if something is left that nobody here can
/// answer: stderr says what it is and how to answer it.
result<bool> answer_questions(actors::session_handle& session, const session::state& now, const answers& how);

} // namespace troupe::cli
