// The context is part of the fold: there is one way to it, live and in replay.
#include "session/project.hpp"

namespace troupe::session {

std::vector<message> project(std::span<const event> log) { return fold(log).context.messages(); }

std::string to_json(const std::vector<message>& context) {
  std::string out = "[";
  for (const auto& message : context) {
    if (out.size() > 1)
      out.push_back(',');
    out += troupe::to_json(message);
  }
  return out + "]";
}

} // namespace troupe::session
