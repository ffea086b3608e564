// The desk: asks actors on behalf of callers outside, who get their answer in a callback or wait for it.
#pragma once

#include "actors/node.hpp"
#include "actors/node_parts.hpp"
#include "actors/waiting.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

namespace troupe::actors {

caf::behavior desk_actor(caf::event_based_actor* self);

/// What an unanswered request means to its caller.
problem lost(const caf::error& why);

/// A caller who is told once: the answer, or that the node has ended when whatever could have given it is
/// gone.
template <class Answer> class caller {
 public:
  explicit caller(std::function<void(result<Answer>)> then) : then_(std::move(then)) {}
  caller(const caller&) = delete;
  caller& operator=(const caller&) = delete;
  ~caller() {
    if (then_)
      then_({boost::system::in_place_error, node_has_ended()});
  }
  /// Once. The callback doesn't throw: it may be called by the destructor.
  void tell(result<Answer> answer) { std::exchange(then_, nullptr)(std::move(answer)); }

 private:
  std::function<void(result<Answer>)> then_;
};

/// One request, asked by the desk of whom `find` gives it then; none is like one that has ended. `then` gets
/// the answer on a thread of the node, and on the asking one where the node has ended. A request without a
/// bound is answered when its actor ends, or the node, at the latest.
template <class Answer, class Request, class Find>
void ask_found(const caf::actor& desk, Find find, Request what, std::function<void(result<Answer>)> then,
    caf::duration patience = caf::infinite) {
  const auto asking = std::make_shared<caller<Answer>>(std::move(then));
  caf::anon_send(desk, errand{[=](caf::event_based_actor* self) {
    const caf::actor whom = find(self);
    if (!whom)
      return asking->tell(
          {boost::system::in_place_error, lost(caf::make_error(caf::sec::request_receiver_down))});
    self->request(whom, patience, what)
        .then(
            [asking](Answer& answer) {
              asking->tell({boost::system::in_place_value, std::move(answer)});
            },
            [asking](const caf::error& why) {
              asking->tell({boost::system::in_place_error, lost(why)});
            });
  }});
}

/// One request to an actor that is known.
template <class Answer, class Request>
void ask(const caf::actor& desk, const caf::actor& whom, Request what,
    std::function<void(result<Answer>)> then, caf::duration patience = caf::infinite) {
  ask_found<Answer>(
      desk, [whom](caf::event_based_actor*) { return whom; }, std::move(what), std::move(then), patience);
}

/// A reader that the hub serves until it is dropped.
std::unique_ptr<live_stream> open_stream(
    const node_parts& parts, const persistence::session_key& session, std::int64_t after, bool follow);

/// A reader that is shown the past at `speed` times its pace, up to the head, until it is dropped.
std::unique_ptr<live_stream> open_playback(
    const node_parts& parts, const persistence::session_key& session, std::int64_t after, double speed);

/// What stands behind a session's handle.
struct session_handle::parts {
  caf::actor desk;
  std::shared_ptr<const node_parts> node;
  std::shared_ptr<const session_here> here;
  bool created = false;
  persistence::session_row row;      ///< as it was loaded
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
