// Messages are appended on whatever head there is: they change nothing that is decided elsewhere.
#include "actors/queue/queue_actor.hpp"

#include "actors/append_of.hpp"
#include "messages/event_codec.hpp"
#include "session/decide.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/response_promise.hpp>

#include <set>

namespace troupe::actors {

namespace {

using post_promise = caf::typed_response_promise<posted>;

/// A message whose sender waits.
struct open_post {
  event happened;
  post_promise promise;
  bool fresh = false; ///< no message of that id waited when it came
};
using post_ticket = std::shared_ptr<open_post>;

class queue_shell {
 public:
  queue_shell(caf::event_based_actor* self, queue_settings settings, std::shared_ptr<const node_parts> parts,
      caf::actor agent)
      : self_(self), settings_(std::move(settings)), parts_(std::move(parts)), agent_(std::move(agent)),
        ids_(parts_->ids()), id_(self->id()) {}
  queue_shell(const queue_shell&) = delete;
  queue_shell& operator=(const queue_shell&) = delete;
  ~queue_shell() {
    for (const auto& ticket : open_)
      give_room_back(ticket);
    queues().ended(settings_.which, id_);
  }

  post_promise accept(const post& what) {
    auto promise = self_->make_response_promise<posted>();
    queues().has_read(settings_.which);
    take(*what.what, promise);
    return promise;
  }

 private:
  session_queues& queues() const { return *settings_.queues; }

  void take(const accept_message& message, post_promise promise) {
    const auto room = queues().room_for(settings_.which, message.message_id);
    if (auto why = session::refusal({settings_.id, room.closed, room.waiting}, message, queues().known())) {
      promise.deliver(posted{std::move(why), message.message_id, 0, false});
      return leave_if_done();
    }
    const auto ticket =
        std::make_shared<open_post>(event{0, parts_->clock.now(), std::nullopt, session::accepted(message)},
            promise, queues().admit(settings_.which, message.message_id));
    open_.insert(ticket);
    auto append = std::make_shared<persistence::append>(append_of(
        settings_.session, settings_.epoch, command_kind::accept_message, {ticket->happened}, ids_.next()));
    append->claims = {message.message_id};
    append->wakes = true;
    self_->request(parts_->writer_of(settings_.session), caf::infinite, append_order{append})
        .then(
            [=, this](const append_answer& answer) {
              if (!is_committed(answer))
                give_room_back(ticket);
              appended(answer, ticket);
            },
            [=, this](const caf::error& failed) {
              give_room_back(ticket);
              unsure(ticket, caf::to_string(failed));
            });
  }

  /// It isn't known to wait: it takes no room that isn't its own.
  void give_room_back(const post_ticket& ticket) {
    if (ticket->fresh)
      queues().withdraw(settings_.which, message_of(ticket).message_id);
  }

  static bool is_committed(const append_answer& answer) {
    return answer.outcome && std::holds_alternative<persistence::committed>(*answer.outcome);
  }
  static const message_queued& message_of(const post_ticket& ticket) {
    return std::get<message_queued>(ticket->happened.data);
  }

  void appended(const append_answer& answer, const post_ticket& ticket) {
    if (!answer.outcome)
      return refuse(ticket, answer.outcome.error());
    if (const auto* const taken = std::get_if<persistence::claim_taken>(&*answer.outcome))
      return compare(*taken, ticket);
    if (const auto* const refused = std::get_if<persistence::refused>(&*answer.outcome))
      return refuse(ticket, refused->why);
    const auto* const committed = std::get_if<persistence::committed>(&*answer.outcome);
    if (!committed) {
      // the agent may have nothing to append, and would never learn of it
      self_->send(agent_, actors::let_go{});
      return refuse(ticket,
          {problem_code::fenced,
              "the session `" + settings_.id + "` has moved to another node; send it there", {}});
    }
    ticket->happened.seq = committed->events.front().seq;
    ticket->happened.at = committed->events.front().at;
    // the agent first: whoever is answered may ask at once whether it is idle
    tell_agent(std::make_shared<const event>(ticket->happened));
    self_->send(parts_->hub,
        publish_events{
            settings_.session, std::make_shared<const std::vector<recorded_event>>(committed->events)});
    answer_with(ticket, {std::nullopt, message_of(ticket).message_id, ticket->happened.seq, false});
  }

  void answer_with(const post_ticket& ticket, posted answer) {
    if (open_.erase(ticket) == 1)
      ticket->promise.deliver(std::move(answer));
    leave_if_done();
  }

  void tell_agent(std::shared_ptr<const event> happened) {
    queues().tells_agent();
    self_->send(agent_, message_arrived{std::move(happened)});
  }

  void leave_if_done() {
    if (open_.empty() && !left_ && queues().leave(settings_.which)) {
      left_ = true;             // there may be another one already
      if (queues().is_closed()) // the agent may wait for this to close the session
        self_->send(agent_, order{std::make_shared<const command>(take_up{})});
      self_->quit();
    }
  }

  void refuse(const post_ticket& ticket, problem why) {
    answer_with(ticket, {std::move(why), message_of(ticket).message_id, 0, false});
  }

  void unsure(const post_ticket& ticket, const std::string& why) {
    refuse(ticket,
        {problem_code::unavailable,
            "it isn't known whether the message was stored (" + why + "); send it again under the same id",
            {}});
  }

  // The same content under the same id is the same message, whichever queue and settings.
  void compare(const persistence::claim_taken& taken, const post_ticket& ticket) {
    self_->request(
             parts_->archive, std::chrono::seconds(60), read_events{settings_.session, taken.seq - 1, 1})
        .then([=, this](const read_answer& answer) { compared(taken, answer, ticket); },
            [=, this](const caf::error& failed) { unsure(ticket, caf::to_string(failed)); });
  }

  void compared(const persistence::claim_taken& taken, const read_answer& answer, const post_ticket& ticket) {
    std::shared_ptr<const event> before;
    if (answer.events && !answer.events->empty())
      if (auto stored = decode(answer.events->front()))
        before = std::make_shared<const event>(std::move(*stored));
    if (before && before->seq > taken.seq) // removed by retention: that it was accepted is all that is known
      return answer_with(ticket, {std::nullopt, message_of(ticket).message_id, taken.seq, true});
    const auto* const message = before ? std::get_if<message_queued>(&before->data) : nullptr;
    if (!message)
      return unsure(ticket, "its id was used before");
    if (message->content != message_of(ticket).content)
      return refuse(ticket,
          {problem_code::conflict,
              "the message id `" + message->message_id + "` was used before with another content", {}});
    // whoever accepted it may have died before the agent heard of it
    tell_agent(before);
    answer_with(ticket, {std::nullopt, message->message_id, before->seq, true});
  }

  caf::event_based_actor* self_;
  queue_settings settings_;
  std::shared_ptr<const node_parts> parts_;
  caf::actor agent_;
  fresh_ids ids_;
  caf::actor_id id_;
  std::set<post_ticket> open_;
  bool left_ = false;
};

} // namespace

caf::behavior queue_actor(caf::event_based_actor* self, queue_settings settings,
    std::shared_ptr<const node_parts> parts, caf::actor agent) {
  auto shell = std::make_shared<queue_shell>(self, std::move(settings), std::move(parts), std::move(agent));
  return {
      [=](const post& what) { return shell->accept(what); },
  };
}

} // namespace troupe::actors
