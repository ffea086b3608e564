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

class queue_shell {
 public:
  queue_shell(caf::event_based_actor* self, queue_settings settings, std::shared_ptr<const node_parts> parts,
      caf::actor agent)
      : self_(self), settings_(std::move(settings)), parts_(std::move(parts)), agent_(std::move(agent)),
        ids_(parts_->ids()) {}

  post_promise accept(const post& what) {
    auto promise = self_->make_response_promise<posted>();
    const auto& message = *what.what;
    if (auto why = session::refusal(
            {settings_.id, settings_.closed, settings_.waiting.size()}, message, *settings_.known)) {
      promise.deliver(posted{std::move(why), message.message_id, 0, false});
      return promise;
    }
    const bool fresh = settings_.waiting.insert(message.message_id).second;
    const event happened{0, parts_->clock.now(), std::nullopt, session::accepted(message)};
    auto append = std::make_shared<persistence::append>(
        append_of(settings_.session, settings_.epoch, command_kind::accept_message, {happened}, ids_.next()));
    append->claims = {message.message_id};
    append->wakes = true;
    self_->request(parts_->writer_of(settings_.session), caf::infinite, append_order{append})
        .then(
            [=, this](const append_answer& answer) {
              if (fresh && !is_committed(answer))
                settings_.waiting.erase(message_of(happened).message_id);
              appended(answer, happened, promise);
            },
            [=, this](const caf::error& failed) { unsure(happened, promise, caf::to_string(failed)); });
    return promise;
  }

  void changed(const queue_changed& what) {
    for (const auto& id : what.gone)
      settings_.waiting.erase(id);
    settings_.closed = settings_.closed || what.closed;
  }

 private:
  static bool is_committed(const append_answer& answer) {
    return answer.outcome && std::holds_alternative<persistence::committed>(*answer.outcome);
  }
  static const message_queued& message_of(const event& happened) {
    return std::get<message_queued>(happened.data);
  }

  void appended(const append_answer& answer, event happened, post_promise promise) {
    if (!answer.outcome)
      return refuse(happened, promise, answer.outcome.error());
    if (const auto* const taken = std::get_if<persistence::claim_taken>(&*answer.outcome))
      return compare(*taken, std::move(happened), std::move(promise));
    if (const auto* const refused = std::get_if<persistence::refused>(&*answer.outcome))
      return refuse(happened, promise, refused->why);
    const auto* const committed = std::get_if<persistence::committed>(&*answer.outcome);
    if (!committed) {
      // the agent may have nothing to append, and would never learn of it
      self_->send(agent_, actors::let_go{});
      refuse(happened, promise,
          {problem_code::fenced,
              "the session `" + settings_.id + "` has moved to another node; send it there", {}});
      return self_->quit(caf::exit_reason::user_shutdown);
    }
    happened.seq = committed->events.front().seq;
    happened.at = committed->events.front().at;
    const std::string id = message_of(happened).message_id;
    const std::int64_t seq = happened.seq;
    // the agent first: whoever is answered may ask at once whether it is idle
    self_->send(agent_, message_arrived{std::make_shared<const event>(std::move(happened))});
    self_->send(parts_->hub,
        publish_events{
            settings_.session, std::make_shared<const std::vector<recorded_event>>(committed->events)});
    promise.deliver(posted{std::nullopt, id, seq, false});
  }

  void refuse(const event& happened, post_promise promise, problem why) {
    promise.deliver(posted{std::move(why), message_of(happened).message_id, 0, false});
  }

  void unsure(const event& happened, post_promise promise, const std::string& why) {
    refuse(happened, std::move(promise),
        {problem_code::unavailable,
            "it isn't known whether the message was stored (" + why + "); send it again under the same id",
            {}});
  }

  // The same content under the same id is the same message, whichever queue and settings.
  void compare(const persistence::claim_taken& taken, event happened, post_promise promise) {
    self_->request(
             parts_->archive, std::chrono::seconds(60), read_events{settings_.session, taken.seq - 1, 1})
        .then([=, this](const read_answer& answer) { compared(answer, taken.seq, happened, promise); },
            [=, this](const caf::error& failed) { unsure(happened, promise, caf::to_string(failed)); });
  }

  void compared(const read_answer& answer, std::int64_t seq, const event& happened, post_promise promise) {
    const auto& id = message_of(happened).message_id;
    std::optional<message_queued> before;
    if (answer.events && !answer.events->empty())
      if (const auto stored = decode(answer.events->front()))
        if (const auto* const queued = std::get_if<message_queued>(&stored->data))
          before = *queued;
    if (!before)
      return unsure(happened, std::move(promise), "its id was used before");
    if (before->content == message_of(happened).content)
      promise.deliver(posted{std::nullopt, id, seq, true});
    else
      refuse(happened, std::move(promise),
          {problem_code::conflict, "the message id `" + id + "` was used before with another content", {}});
  }

  caf::event_based_actor* self_;
  queue_settings settings_;
  std::shared_ptr<const node_parts> parts_;
  caf::actor agent_;
  fresh_ids ids_;
};

} // namespace

caf::behavior queue_actor(caf::event_based_actor* self, queue_settings settings,
    std::shared_ptr<const node_parts> parts, caf::actor agent) {
  auto shell = std::make_shared<queue_shell>(self, std::move(settings), std::move(parts), std::move(agent));
  return {
      [=](const post& what) { return shell->accept(what); },
      [=](const queue_changed& what) { shell->changed(what); },
      [=](const let_go&) { self->quit(); },
  };
}

} // namespace troupe::actors
