// What a line of a chat means: a message, or a command that begins with a slash.
#pragma once

#include <string>
#include <string_view>

namespace troupe::cli {

struct said {
  enum class kind { nothing, message, steer, model, abort, compact, quit, help, unknown };
  kind what = kind::nothing;
  std::string text; ///< the message, what follows the command, or what to say of an unknown one
};

/// `//…` is a message that begins with one slash.
said understand(std::string_view line);

/// Every command and what it does, a line each.
std::string slash_help();

} // namespace troupe::cli
