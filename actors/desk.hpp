// The desk: asks actors on behalf of callers outside, who get their answer in a callback or wait for it.
#pragma once

#include "actors/node.hpp"
#include "actors/node_parts.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <future>

namespace troupe::actors {

caf::behavior desk_actor(caf::event_based_actor* self);

/// What an unanswered request means to its caller.
problem lost(const caf::error& why);

/// One request, asked by the desk; `then` gets the answer on a thread of the node. A request without
/// a bound is answered when its actor ends, at the latest.
template <class Answer, class Request>
void ask(const caf::actor& desk, const caf::actor& whom, Request what,
    std::function<void(result<Answer>)> then, caf::duration patience = caf::infinite) {
  caf::anon_send(desk, errand{[=](caf::event_based_actor* self) {
    self->request(whom, patience, what)
        .then(
            [then](Answer& answer) {
              then({boost::system::in_place_value, std::move(answer)});
            },
            [then](const caf::error& why) {
              then({boost::system::in_place_error, lost(why)});
            });
  }});
}

/// The same, waiting for it.
template <class Answer, class Request>
result<Answer> ask(const caf::actor& desk, const caf::actor& whom, Request what) {
  auto answered = std::make_shared<std::promise<result<Answer>>>();
  auto future = answered->get_future();
  ask<Answer>(desk, whom, std::move(what),
      [answered](result<Answer> answer) { answered->set_value(std::move(answer)); });
  return future.get();
}

/// A reader that the hub serves until it is dropped.
std::unique_ptr<live_stream> open_stream(
    const node_parts& parts, const persistence::session_key& session, std::int64_t after, bool follow);

/// What stands behind a session's handle.
struct session_handle::parts {
  caf::actor desk;
  std::shared_ptr<const node_parts> node;
  session_opened opened;
  std::atomic<std::int64_t> seen{0}; ///< the highest `seq` that a caller was told

  result<acceptance> taken(result<posted> answer) {
    if (!answer)
      return answer.error();
    if (answer->refused)
      return *answer->refused;
    for (std::int64_t before = seen;
         before < answer->seq && !seen.compare_exchange_weak(before, answer->seq);) {
    }
    return acceptance{answer->message_id, answer->seq, answer->duplicate};
  }
};

} // namespace troupe::actors
