// Checks appends for what both stores would refuse or, worse, give back changed: text with NUL or
// broken UTF-8, ids that aren't UUIDs in lower case, unknown types, sizes over the bounds.
#include "persistence/append_rules.hpp"

#include "messages/text.hpp"

#include <algorithm>
#include <unordered_set>

namespace troupe::persistence {

namespace {

bool is_lower_uuid(std::string_view id) {
  return is_uuid(id) && std::none_of(id.begin(), id.end(), [](char c) { return c >= 'A' && c <= 'F'; });
}

bool is_storable(std::string_view text) { return text.find('\0') == std::string_view::npos && is_utf8(text); }

bool is_known_type(std::string_view type) {
  static const std::unordered_set<std::string_view> known(event_type_names.begin(), event_type_names.end());
  return known.count(type) != 0;
}

bool is_known_status(std::string_view status) {
  constexpr std::string_view known[] = {"idle", "running", "waiting", "failed", "closed"};
  return std::find(std::begin(known), std::end(known), status) != std::end(known);
}

problem invalid(std::string detail) { return {problem_code::invalid_input, std::move(detail), {}}; }

std::optional<problem> fault_of(const draft_event& event) {
  if (!is_known_type(event.type))
    return invalid("`" + event.type + "` is no event type of this version");
  if (event.version < 1)
    return invalid(
        "`" + event.type + "` has version " + std::to_string(event.version) + "; versions start at 1");
  if (event.run_id && !is_lower_uuid(*event.run_id))
    return invalid("the run id `" + *event.run_id + "` isn't a UUID in lower case");
  if (event.payload.empty() || !is_storable(event.payload))
    return invalid(
        "the payload of `" + event.type + "` isn't JSON text: it is empty, has a NUL byte or isn't UTF-8");
  return std::nullopt;
}

} // namespace

std::size_t bytes_of(const append& append) {
  std::size_t bytes = append.view ? append.view->views.size() : 0;
  for (const auto& event : append.events)
    bytes += event.payload.size() + 64;
  for (const auto& blob : append.blobs)
    bytes += blob.content.size() + 64;
  for (const auto& claim : append.claims)
    bytes += claim.size();
  return bytes;
}

problem not_a_name(const std::string& what, const std::string& name) {
  return {problem_code::invalid_input,
      "`" + name + "` can't name a " + what
          + "; names are letters, digits, `.`, `_` and `-`, 128 at most, and begin "
            "with a letter or a digit",
      {}};
}

problem taken_meanwhile(const std::string& id) {
  return {problem_code::fenced, "session `" + id + "` was taken by another process meanwhile", {}};
}

problem read_by_a_fork() {
  return {problem_code::conflict, "a fork reads the events that would be removed", {}};
}

bool is_content_name(std::string_view name) {
  if (name.size() != 71 || name.substr(0, 7) != "sha256:")
    return false;
  name.remove_prefix(content_name_prefix);
  return name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::optional<problem> fault_of(const append& append) {
  if (append.events.empty())
    return invalid("an append has at least one event");
  if (append.events.size() > append_events_max)
    return problem{problem_code::too_large,
        "an append of " + std::to_string(append.events.size()) + " events is over the bound of "
            + std::to_string(append_events_max),
        {}};
  if (const auto bytes = bytes_of(append); bytes > append_bytes_max)
    return problem{problem_code::too_large,
        "an append of " + std::to_string(bytes) + " bytes is over the bound of "
            + std::to_string(append_bytes_max),
        {}};
  if (!is_lower_uuid(append.append_id))
    return invalid("the append id `" + append.append_id + "` isn't a UUID in lower case");
  for (const auto& event : append.events)
    if (auto fault = fault_of(event))
      return fault;
  for (const auto& blob : append.blobs)
    if (!is_content_name(blob.name))
      return invalid("`" + blob.name + "` doesn't name content; `sha256:` and 64 digits do");
  for (const auto& claim : append.claims)
    if (claim.empty() || claim.size() > 512 || !is_storable(claim))
      return invalid(
          "a claim is 1 to 512 bytes of UTF-8 without NUL; this one has " + std::to_string(claim.size()));
  if (append.view && !is_known_status(append.view->status))
    return invalid("`" + append.view->status + "` is no status of a session");
  if (append.view && !is_storable(append.view->views))
    return invalid("the views aren't UTF-8 text without NUL");
  return std::nullopt;
}

} // namespace troupe::persistence
