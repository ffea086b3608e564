// Options change while the session goes on: what runs keeps those it began with.
#include "messages/event_codec.hpp"
#include "messages/json_reading.hpp"
#include "session/decide.hpp"
#include "session/draft.hpp"

namespace troupe::session {

namespace {

// The id is the session's for good; the others travel with messages, so that the log tells since when.
constexpr std::string_view never_changed[] = {"id", "provider", "model", "effort", "service_tier"};

} // namespace

result<options> changed(const options& before, const json::raw& changes, bool from_outside) {
  const auto parsed = json::parse(changes.text);
  if (!parsed)
    return parsed.error();
  json::reader reader(from_outside);
  options merged = before;
  reader.get(*parsed, merged);
  for (const auto name : never_changed)
    if (parsed->find(name))
      reader.at(name, [&] {
        reader.fault(name == "id" ? "can't be changed" : "can't be changed here: a message carries it");
      });
  if (!reader.faults().empty())
    return problem{problem_code::invalid_input, "the changes are not valid", reader.faults()};
  return merged;
}

namespace {

// Instructions that are big stand by content here as everywhere.
json::raw as_stored(const json::raw& changes, const options& merged) {
  const auto parsed = json::parse(changes.text);
  if (!parsed->find("instructions") || !merged.instructions || !merged.instructions->ref)
    return changes;
  json::writer out;
  out.begin_object();
  for (const auto& [name, value] : parsed->members()) {
    out.key(name);
    if (name == "instructions")
      json::put(out, *merged.instructions->ref);
    else
      out.raw_text(value.source());
  }
  return {out.end_object().take()};
}

} // namespace

// Decided again from the log, where the changes stand as they are stored.
decision decide(const state& now, const update_session& command, const inputs& in) {
  if (now.closed || now.closing)
    return problem{
        problem_code::closed, "the session `" + now.options->id + "` is closed: its options stay", {}};
  const auto merged = changed(*now.options, command.changes, false);
  if (!merged)
    return merged.error();
  draft d(now, in);
  if (!(*merged == *now.options))
    d.add(session_updated{as_stored(command.changes, *merged)});
  return d.take();
}

} // namespace troupe::session
