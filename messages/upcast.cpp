// The steps, in the order in which they were added.
#include "messages/upcast.hpp"

#include <algorithm>

namespace troupe {

std::span<const upcaster> upcasters() { return {}; }

std::int16_t newest_version(std::string_view type, std::span<const upcaster> steps) {
  std::int16_t newest = 1;
  for (const auto& step : steps)
    if (step.type == type)
      newest = std::max<std::int16_t>(newest, static_cast<std::int16_t>(step.from + 1));
  return newest;
}

result<std::string> upcast(
    std::string_view type, std::int16_t version, std::string_view payload, std::span<const upcaster> steps) {
  const std::int16_t newest = newest_version(type, steps);
  if (version < 1 || version > newest)
    return problem{problem_code::corrupt,
        "`" + std::string(type) + "` has version " + std::to_string(version) + ", this build reads 1 to "
            + std::to_string(newest),
        {}};
  std::string out(payload);
  for (; version < newest; ++version) {
    const auto step = std::find_if(
        steps.begin(), steps.end(), [&](const upcaster& s) { return s.type == type && s.from == version; });
    if (step == steps.end())
      return problem{problem_code::internal,
          "`" + std::string(type) + "` has no step from version " + std::to_string(version), {}};
    out = step->step(out);
  }
  return out;
}

} // namespace troupe
