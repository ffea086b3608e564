// Reading, folding and looking up; no actors here.
#include "actors/fleet/session_loading.hpp"

#include "actors/fleet/modes.hpp"
#include "messages/event_codec.hpp"
#include "messages/text.hpp"
#include "session/carried_state.hpp"
#include "session/effort.hpp"
#include "session/evolve.hpp"
#include "session/option_bounds.hpp"
#include "session/snapshot.hpp"
#include "telemetry/log.hpp"

#include <array>
#include <tuple>

namespace troupe::actors {

// Other content is fetched when a request is made.
result<void> fill_instructions(persistence::journal& journal, std::int32_t tenant, session::state& state) {
  if (!state.options || !state.options->instructions || state.options->instructions->loaded)
    return {};
  options filled = *state.options;
  const auto contents = journal.blobs(tenant, {filled.instructions->ref->blob});
  if (!contents)
    return contents.error();
  const auto found = contents->find(filled.instructions->ref->blob);
  if (found == contents->end())
    return problem{
        problem_code::corrupt, "the stored content " + filled.instructions->ref->blob + " is missing", {}};
  filled.instructions = large_text(found->second);
  state.options = std::make_shared<const options>(std::move(filled));
  return {};
}

namespace {

// What a log goes on from, where the event says so.
result<void> fill_beginning(persistence::journal& journal, std::int32_t tenant, event& first) {
  auto* const trimmed = std::get_if<context_trimmed>(&first.data);
  if (!trimmed || !trimmed->state || trimmed->state->content.loaded)
    return {};
  const std::string name = trimmed->state->content.ref->blob;
  auto contents = journal.blobs(tenant, {name});
  if (!contents)
    return contents.error();
  const auto found = contents->find(name);
  const auto fits = found == contents->end() ? problem{problem_code::corrupt, "it is missing", {}}
                                             : session::read_carried(found->second);
  if (!fits)
    return problem{problem_code::corrupt,
        "the state that event " + std::to_string(first.seq) + " goes on from, " + name
            + ", can't be read: " + fits.error().detail,
        {}};
  trimmed->state = referenced_text(std::move(found->second));
  return {};
}

} // namespace

result<void> fold_on(persistence::journal& journal, std::int32_t tenant, session::state& state,
    const std::vector<recorded_event>& log) {
  for (const auto& stored : log) {
    auto happened = decode(stored);
    if (!happened)
      return happened.error();
    if (!state.exists())
      if (const auto filled = fill_beginning(journal, tenant, *happened); !filled)
        return filled.error();
    session::evolve(state, *happened);
  }
  return {};
}

namespace {

result<session::state> restored(
    persistence::journal& journal, const persistence::session_key& key, const persistence::snapshot& from) {
  auto kept = session::read_kept(from.content);
  if (!kept)
    return kept.error();
  std::int64_t before = kept->without_context.context_from - 1;
  const bool begins_there = before > 0 && before == kept->without_context.trimmed_through;
  session::restoring whole(*std::move(kept));
  std::optional<problem> fault;
  if (begins_there) { // with what the removed events had left
    const auto first = journal.read(key, before, 1);
    auto happened = !first ? first.error()
        : first->empty()   ? result<event>(problem{})
                           : decode(first->front());
    if (happened)
      if (const auto filled = fill_beginning(journal, key.tenant, *happened); !filled)
        return filled.error();
    if (!happened)
      return happened.error();
    whole.fold(*happened);
    ++before;
  }
  const auto shown = journal.read_payloads(
      key, before, from.seq, session::context_events(), [&](const persistence::seen_payload& seen) {
        if (fault)
          return;
        auto data = decode(seen.type, seen.version, seen.payload);
        if (data)
          whole.fold({seen.seq, {}, std::nullopt, *std::move(data)});
        else
          fault = {data.error().code, "event " + std::to_string(seen.seq) + ": " + data.error().detail, {}};
      });
  if (!shown || fault)
    return shown ? *fault : shown.error();
  return whole.done();
}

result<std::shared_ptr<session::state>> from_snapshot(
    persistence::journal& journal, const persistence::taken_session& taken) {
  auto restored_state = restored(journal, taken.row.key, *taken.from);
  if (!restored_state)
    return restored_state.error();
  auto state = std::make_shared<session::state>(*std::move(restored_state));
  if (const auto folded = fold_on(journal, taken.row.key.tenant, *state, taken.events); !folded)
    return folded.error();
  if (const auto filled = fill_instructions(journal, taken.row.key.tenant, *state); !filled)
    return filled.error();
  return state;
}

} // namespace

result<std::shared_ptr<session::state>> load_state(
    persistence::journal& journal, std::int32_t tenant, const std::vector<recorded_event>& log) {
  auto state = std::make_shared<session::state>();
  if (const auto folded = fold_on(journal, tenant, *state, log); !folded)
    return folded.error();
  if (const auto filled = fill_instructions(journal, tenant, *state); !filled)
    return filled.error();
  return state;
}

result<std::shared_ptr<session::state>> load_state(
    persistence::journal& journal, const persistence::taken_session& taken) {
  if (!taken.from)
    return load_state(journal, taken.row.key.tenant, taken.events);
  auto state = from_snapshot(journal, taken);
  if (state || state.error().code == problem_code::unavailable)
    return state;
  telemetry::log(telemetry::level::warning, "a snapshot is passed over",
      {{"session", taken.row.id}, {"why", state.error().detail}});
  const auto log = journal.read(taken.row.key, 0, static_cast<std::size_t>(taken.row.head));
  return log ? load_state(journal, taken.row.key.tenant, *log) : log.error();
}

result<tools::offer> offer_of(const tools::tool_box& box, const options& wanted) {
  const auto names = wanted.tools.value_or(std::vector<std::string>());
  const auto client = wanted.client_tools.value_or(std::vector<client_tool>());
  return box.offer_of(names, client, wanted.id);
}

std::shared_ptr<const session::look_ups> look_ups_of(
    const node_parts& parts, const options& wanted, const tools::offer& offer, bool can_ask) {
  auto known = std::make_shared<session::look_ups>();
  known->instructions = wanted.instructions ? wanted.instructions->text : std::string();
  known->tools = shown_of(parts.modes, wanted, offer).json();
  known->can_ask = can_ask;
  known->queued_max = parts.queued_max;
  for (const auto& tool : offer.all())
    known->tool_facts[tool->spec.name] = {.sequential = tool->spec.sequential,
        .shared = tool->spec.shared,
        .client = tool->run_by == nullptr,
        .durable = tool->spec.durable,
        .on_interrupted = tool->spec.on_interrupted,
        .timeout_ms = tool->spec.timeout_ms,
        .clearable = tool->spec.clearable,
        .idempotent = tool->spec.idempotent};
  for (const auto& [id, registered] : parts.providers)
    known->providers[id] = registered.fact;
  return parts.look_ups.share(std::move(known));
}

result<void> supported(const options& wanted) {
  const auto clients = wanted.client_tools.value_or(std::vector<client_tool>());
  for (std::size_t i = 0; i < clients.size(); ++i) {
    for (const auto& [given, name, words] :
        {std::tuple(clients[i].execution, "execution", std::array{"parallel", "sequential"}),
            std::tuple(clients[i].concurrency, "concurrency", std::array{"shared", "exclusive"})})
      if (given && *given != words[0] && *given != words[1])
        return problem{problem_code::invalid_input, "a client tool isn't declared as it can be",
            {{"/client_tools/" + std::to_string(i) + "/" + name,
                std::string("expected `") + words[0] + "` or `" + words[1] + "`"}}};
    if (const auto given = clients[i].timeout_ms;
        given && (*given < 1 || *given > tools::client_timeout_ms_max))
      return problem{problem_code::invalid_input, "a client tool's `timeout_ms` is out of bounds",
          {{"/client_tools/" + std::to_string(i) + "/timeout_ms",
              "is from 1 to " + std::to_string(tools::client_timeout_ms_max) + " (a week)"}}};
  }
  if (const auto bounds = session::within_bounds(wanted); !bounds)
    return bounds.error();
  if (wanted.on_failed_effect != "record" && wanted.on_failed_effect != "ask")
    return problem{problem_code::invalid_input, "`on_failed_effect` isn't valid",
        {{"/on_failed_effect", "expected `record` or `ask`"}}};
  if (auto thinking = session::check_thinking(wanted); !thinking)
    return thinking;
  if (wanted.retention != "log" && wanted.retention != "context")
    return problem{problem_code::invalid_input, "`retention` isn't valid",
        {{"/retention", "expected `log` or `context`"}}};
  if (wanted.output_schema)
    return problem{problem_code::unsupported,
        "this version doesn't carry out the option `output_schema` yet; leave it out", {}};
  return {};
}

result<options> with_defaults(const node_parts& parts, options wanted) {
  std::vector<std::string_view> ids;
  for (const auto& [id, registered] : parts.providers)
    ids.push_back(id);
  // a configured one before the built-in gym, which is always there
  if (!wanted.provider)
    for (const auto& [id, registered] : parts.providers)
      if (!wanted.provider
          || (parts.providers.at(*wanted.provider).fact.type == "gym" && registered.fact.type != "gym"))
        wanted.provider = id;
  const auto found = parts.providers.find(wanted.provider.value_or(""));
  if (found == parts.providers.end()) {
    const std::string name = wanted.provider.value_or("");
    const std::string near = nearest_name(name, ids.data(), ids.data() + ids.size());
    return problem{problem_code::invalid_input,
        "unknown provider `" + name + "`"
            + (near.empty() ? "; configure it under [providers] first" : "; did you mean `" + near + "`?"),
        {}};
  }
  if (const auto known = supported(wanted); !known)
    return known.error();
  if (!wanted.model)
    wanted.model = found->second.fact.default_model;
  if (auto why = found->second.fact.refusal(*wanted.provider, *wanted.model))
    return *why;
  return wanted;
}

} // namespace troupe::actors
