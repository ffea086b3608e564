// What several resources share: checks of their bodies, and what clients see of the server's own problems.
#include "gateway/routes/api.hpp"

namespace troupe::gateway {

void check_id(std::vector<problem_at>& faults, std::string_view id, const api_bounds& limits) {
  if (!is_id(id) || id.size() > limits.id_characters_max)
    faults.push_back({"/id",
        "is 1 to " + std::to_string(limits.id_characters_max)
            + " of A-Z a-z 0-9 . _ - and begins with a letter or digit"});
}

void check_metadata(
    std::vector<problem_at>& faults, const std::optional<json::raw>& metadata, const api_bounds& limits) {
  if (metadata && !metadata->text.starts_with('{'))
    faults.push_back({"/metadata", "expected an object"});
  if (metadata && metadata->text.size() > limits.metadata_bytes_max)
    faults.push_back(
        {"/metadata", "is over the bound of " + std::to_string(limits.metadata_bytes_max) + " bytes"});
}

problem problem_for_client(const problem& why) {
  if (why.code != problem_code::fenced && why.code != problem_code::owned_elsewhere
      && why.code != problem_code::behind)
    return why;
  return {problem_code::unavailable, why.detail, why.errors};
}

} // namespace troupe::gateway
