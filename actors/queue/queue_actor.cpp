// Messages are appended on whatever head there is: they change nothing that is decided elsewhere.
#include "actors/queue/queue_actor.hpp"

#include "actors/append_of.hpp"
#include "messages/event_codec.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/response_promise.hpp>
#include <caf/stateful_actor.hpp>

namespace troupe::actors {

namespace {

using post_promise = caf::typed_response_promise<posted>;

/// A message whose sender waits.
struct open_post {
  event happened;
  post_promise promise;
};
using post_ticket = std::shared_ptr<open_post>;

/// One that came while the session may be about to leave.
struct held_post {
  post what;
  post_promise promise;
};

class queue_shell {
 public:
  queue_shell(caf::event_based_actor* self, queue_settings settings, std::shared_ptr<const node_parts> parts,
      caf::actor agent)
      : self_(self), settings_(std::move(settings)), parts_(std::move(parts)), agent_(std::move(agent)),
        ids_(parts_->ids()) {}

  post_promise accept(const post& what) {
    auto promise = self_->make_response_promise<posted>();
    held_ ? held_->push_back({what, promise}) : take(what, promise);
    return promise;
  }

  /// From here on posts wait; answered when none is under way.
  caf::typed_response_promise<posts_held> hold() {
    if (!held_)
      held_.emplace();
    auto promise = self_->make_response_promise<posts_held>();
    when_quiet_ = promise;
    if (open_.empty())
      tell_quiet();
    return promise;
  }

  void go_on() {
    for (auto& [what, promise] : std::exchange(held_, std::nullopt).value_or(std::vector<held_post>()))
      take(what, promise);
  }

  void take(const post& what, post_promise promise) {
    const auto& message = *what.what;
    const bool already = settings_.waiting.contains(message.message_id); // it takes no more room
    if (auto why = session::refusal({settings_.id, settings_.closed, already ? 0 : settings_.waiting.size()},
            message, *settings_.known)) {
      promise.deliver(posted{std::move(why), message.message_id, 0, false});
      return;
    }
    const bool fresh = settings_.waiting.insert(message.message_id).second;
    const auto ticket = std::make_shared<open_post>(
        event{0, parts_->clock.now(), std::nullopt, session::accepted(message)}, promise);
    open_.insert(ticket);
    auto append = std::make_shared<persistence::append>(append_of(
        settings_.session, settings_.epoch, command_kind::accept_message, {ticket->happened}, ids_.next()));
    append->claims = {message.message_id};
    append->wakes = true;
    self_->request(parts_->writer_of(settings_.session), caf::infinite, append_order{append})
        .then(
            [=, this](const append_answer& answer) {
              if (fresh && !is_committed(answer))
                settings_.waiting.erase(message_of(ticket).message_id);
              appended(answer, ticket);
            },
            [=, this](const caf::error& failed) { unsure(ticket, caf::to_string(failed)); });
  }

  void changed(const queue_changed& what) {
    for (const auto& id : what.gone)
      settings_.waiting.erase(id);
    settings_.closed = settings_.closed || what.closed;
  }

  /// Nobody is left waiting: what becomes of their messages the log will tell.
  void leave() {
    for (const auto& ticket : std::set(open_))
      unsure(ticket, "the session is leaving this node");
    // as if they had come too late: whoever sent them looks for the session anew
    for (auto& [what, promise] : std::exchange(held_, std::nullopt).value_or(std::vector<held_post>()))
      promise.deliver(caf::make_error(caf::sec::request_receiver_down));
    self_->quit();
  }

 private:
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
      refuse(ticket,
          {problem_code::fenced,
              "the session `" + settings_.id + "` has moved to another node; send it there", {}});
      return leave();
    }
    ticket->happened.seq = committed->events.front().seq;
    ticket->happened.at = committed->events.front().at;
    // the agent first: whoever is answered may ask at once whether it is idle
    self_->send(agent_, message_arrived{std::make_shared<const event>(ticket->happened)});
    self_->send(parts_->hub,
        publish_events{
            settings_.session, std::make_shared<const std::vector<recorded_event>>(committed->events)});
    answer_with(ticket, {std::nullopt, message_of(ticket).message_id, ticket->happened.seq, false});
  }

  void answer_with(const post_ticket& ticket, posted answer) {
    if (open_.erase(ticket) == 1)
      ticket->promise.deliver(std::move(answer));
    if (open_.empty())
      tell_quiet();
  }

  void tell_quiet() {
    if (auto waiting = std::exchange(when_quiet_, std::nullopt))
      waiting->deliver(posts_held{});
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
        .then([=, this](const read_answer& answer) { compared(answer, ticket); },
            [=, this](const caf::error& failed) { unsure(ticket, caf::to_string(failed)); });
  }

  void compared(const read_answer& answer, const post_ticket& ticket) {
    std::shared_ptr<const event> before;
    if (answer.events && !answer.events->empty())
      if (auto stored = decode(answer.events->front()))
        before = std::make_shared<const event>(std::move(*stored));
    const auto* const message = before ? std::get_if<message_queued>(&before->data) : nullptr;
    if (!message)
      return unsure(ticket, "its id was used before");
    if (message->content != message_of(ticket).content)
      return refuse(ticket,
          {problem_code::conflict,
              "the message id `" + message->message_id + "` was used before with another content", {}});
    // whoever accepted it may have died before the agent heard of it
    self_->send(agent_, message_arrived{before});
    answer_with(ticket, {std::nullopt, message->message_id, before->seq, true});
  }

  caf::event_based_actor* self_;
  queue_settings settings_;
  std::shared_ptr<const node_parts> parts_;
  caf::actor agent_;
  fresh_ids ids_;
  std::set<post_ticket> open_;
  std::optional<std::vector<held_post>> held_; ///< while posts wait
  std::optional<caf::typed_response_promise<posts_held>> when_quiet_;
};

} // namespace

caf::behavior queue_actor(caf::event_based_actor* self, queue_settings settings,
    std::shared_ptr<const node_parts> parts, caf::actor agent) {
  auto shell = std::make_shared<queue_shell>(self, std::move(settings), std::move(parts), std::move(agent));
  return {
      [=](const post& what) { return shell->accept(what); },
      [=](const queue_changed& what) { shell->changed(what); },
      [=](const hold_posts&) { return shell->hold(); },
      [=](const let_posts&) { shell->go_on(); },
      [=](const let_go&) { shell->leave(); },
  };
}

} // namespace troupe::actors
