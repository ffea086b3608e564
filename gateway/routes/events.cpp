// What happened: events as pages and as a live stream, the context and the state at any event, content.
#include "actors/history/playback.hpp"
#include "gateway/event_stream.hpp"
#include "gateway/routes/api.hpp"
#include "gateway/session_document.hpp"

#include "messages/event_codec.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::gateway {

namespace {

problem bad_parameter(const std::string& name, const std::string& rule, std::string_view given) {
  return {problem_code::invalid_input, "`" + name + "` " + rule + "; it was " + shown(given), {}};
}

// What a client saw last outranks where it began: it comes again with the same URL.
result<std::int64_t> after_of(const exchange& one, const matched& found) {
  const auto last = one.asked().header("last-event-id");
  if (!last || last->empty())
    return found.integer("after").value_or(0);
  std::int64_t seq = -1;
  const auto [end, wrong] = std::from_chars(last->data(), last->data() + last->size(), seq);
  if (wrong != std::errc() || end != last->data() + last->size() || seq < 0)
    return bad_parameter("Last-Event-ID", "is the number of an event", *last);
  return seq;
}

result<std::vector<std::string>> types_of(const matched& found) {
  std::vector<std::string> types;
  std::string name;
  for (const char c : found.text("type").value_or("") + ",") {
    if (c != ',') {
      name += c;
      continue;
    }
    if (name.empty())
      continue;
    if (std::find(event_type_names.begin(), event_type_names.end(), name) == event_type_names.end())
      return bad_parameter("type", "names event types, separated by commas", name);
    types.push_back(std::exchange(name, {}));
  }
  return types;
}

// A number from 0; one that isn't there is 1.
result<double> speed_of(const matched& found) {
  const auto given = found.text("speed");
  double speed = 1;
  if (!given)
    return speed;
  const auto [end, wrong] = std::from_chars(given->data(), given->data() + given->size(), speed);
  if (wrong != std::errc() || end != given->data() + given->size()
      || !(speed >= 0 && speed <= actors::played_speed_max))
    return bad_parameter("speed", "is a number from 0 (at once) to 1000000", *given);
  return speed;
}

void stream(const api& with, const std::shared_ptr<exchange>& one, const matched& found) {
  const auto after = after_of(*one, found);
  if (!after)
    return void(one->answer(after.error()));
  if (found.text("type"))
    return void(one->answer(problem{problem_code::invalid_input,
        "`type` is for pages: a stream brings every event, so that its ids have no hole", {}}));
  const auto speed = speed_of(found);
  if (!speed)
    return void(one->answer(speed.error()));
  with.sessions->row(found.at("id"),
      [sessions = with.sessions, one, after = *after, follow = found.flag("follow"),
          played = found.flag("replay"), speed = *speed](const result<persistence::session_row>& row) {
        if (!row)
          return void(one->answer(problem_for_client(row.error())));
        if (after > row->head)
          return void(one->answer(bad_parameter("after",
              "is beyond the head of the session, which is " + std::to_string(row->head),
              std::to_string(after))));
        auto& node = sessions->of();
        one->stream(
            event_stream(played ? node.play(row->key, after, speed) : node.follow(row->key, after, follow)));
      });
}

void page(const api& with, const std::shared_ptr<exchange>& one, const matched& found) {
  if (found.flag("replay") || found.text("speed"))
    return void(one->answer(problem{problem_code::invalid_input,
        "`replay` and `speed` are for streams: ask with `Accept: text/event-stream`", {}}));
  const auto types = types_of(found);
  if (!types)
    return void(one->answer(types.error()));
  with.sessions->events(found.at("id"), found.integer("after").value_or(0),
      static_cast<std::size_t>(*found.integer("limit")), *types,
      answering_with<actors::events_page>(one, [](const auto& got) {
        json::writer out;
        out.begin_object().key("events").begin_array();
        for (const auto& event : got.events)
          out.raw_text(to_line(event));
        out.end_array().key("next_after").number(got.next_after).end_object();
        return json_answer(out.take());
      }));
}

void state_at(const api& with, const std::shared_ptr<exchange>& one, const matched& found) {
  with.sessions->state_at(found.at("id"), found.integer("at"),
      answering_with<actors::state_as_of>(
          one, [](const auto& folded) { return json_answer(state_document(folded)); }));
}

void context_at(const api& with, const std::shared_ptr<exchange>& one, const matched& found) {
  with.sessions->context_at(found.at("id"), found.integer("at"),
      answering_with<std::pair<std::int64_t, std::vector<message>>>(
          one, [](const auto& got) { return json_answer(context_document(got.first, got.second)); }));
}

void verify(const api& with, const std::shared_ptr<exchange>& one, const matched& found) {
  with.sessions->verify(found.at("id"), answering_with<actors::verification>(one, [](const auto& came) {
    json::writer out;
    out.begin_object();
    put(out, came);
    return json_answer(out.end_object().take());
  }));
}

} // namespace

void add_event_routes(router& to, const api& with) {
  constexpr auto any_seq = std::numeric_limits<std::int64_t>::max();
  to.add({.method = "GET",
      .path = "/v1/sessions/{id}/events",
      .summary = "The events, as a page or as a live stream",
      .description =
          "With `Accept: text/event-stream` every event after `after` (or `Last-Event-ID`), then what "
          "happens live, with the deltas of the answer that is coming.",
      .parameters = {integer_parameter("after", "Events with a higher number", 0, any_seq),
          integer_parameter(
              "limit", "How many, of a page", 1, with.limits.page_limit_max, with.limits.page_limit),
          text_parameter("type", "Only these types, separated by commas; of a page", 2048),
          flag_parameter("follow", "`false`: the stream ends at the head", true),
          flag_parameter("replay", "The stream comes as it came at the time, up to the head", false),
          text_parameter(
              "speed", "Of a replay: so many times as fast; 0: at once. No pause is over 10 s", 32)},
      .answers = {{200, "`{events, next_after}`, or the stream"}},
      .carry_out = [with](const auto& one, const auto& found) {
        one->asked().accepts_event_stream() ? stream(with, one, found) : page(with, one, found);
      }});
  to.add({.method = "GET",
      .path = "/v1/sessions/{id}/context",
      .summary = "What the next inference starts from",
      .parameters = {integer_parameter("at", "As of this event", 0, any_seq)},
      .answers = {{200, "`{seq, messages}`"}},
      .carry_out = [with](const auto& one, const auto& found) { context_at(with, one, found); }});
  to.add({.method = "GET",
      .path = "/v1/sessions/{id}/state",
      .summary = "The folded state",
      .parameters = {integer_parameter("at", "As of this event", 0, any_seq)},
      .answers = {{200, "The state, for debugging"}},
      .carry_out = [with](const auto& one, const auto& found) { state_at(with, one, found); }});
  to.add({.method = "POST",
      .path = "/v1/sessions/{id}/verify",
      .summary = "Decides everything in the log again, and tells the first difference",
      .answers = {{200,
          "`{ok, events, first_difference?}`; of a difference its `seq`, its `kind`, what was `expected` "
          "and what was `found`"}},
      .carry_out = [with](const auto& one, const auto& found) { verify(with, one, found); }});
  to.add({.method = "GET",
      .path = "/v1/sessions/{id}/blobs/{hash}",
      .summary = "Content that the session refers to",
      .parameters = {digest_parameter("hash", "As in the reference")},
      .answers = {{200, "The content", "", "application/octet-stream"}},
      .carry_out = [with](const auto& one, const auto& found) {
        with.sessions->blob(
            found.at("id"), found.at("hash"), answering_with<std::string>(one, [](const auto& content) {
              // never shown by a browser as what it isn't
              return response{200, "application/octet-stream", content, {}}
                  .with("x-content-type-options", "nosniff")
                  .with("content-disposition", "attachment");
            }));
      }});
}

} // namespace troupe::gateway
