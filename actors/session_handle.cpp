// A session as a plain handle: requests to its agent and queues, by the desk.
#include "actors/desk.hpp"
#include "actors/effects.hpp"
#include "actors/stream_hub/stream_reader.hpp"

namespace troupe::actors {

problem lost(const caf::error& why) {
  if (why == caf::sec::request_timeout)
    return {problem_code::timeout, "the session didn't answer in time", {}};
  return {problem_code::fenced,
      "the session isn't here any more: another process has taken it, or its agent failed; open it again",
      {}};
}

caf::behavior desk_actor(caf::event_based_actor* self) {
  return {[=](const errand& e) { e.what(self); }};
}

namespace {

class reading : public live_stream {
 public:
  reading(caf::actor hub, persistence::session_key session, std::int64_t after)
      : hub_(std::move(hub)), session_(session), reader_(std::make_shared<stream_reader>(after)) {
    caf::anon_send(hub_, subscribe{session_, reader_});
  }
  ~reading() override { caf::anon_send(hub_, unsubscribe{session_, reader_}); }
  reading(const reading&) = delete;
  reading& operator=(const reading&) = delete;
  std::optional<stream_item> next(std::chrono::milliseconds patience) override {
    return reader_->next(patience);
  }
  bool ended() const override { return reader_->ended(); }

 private:
  caf::actor hub_;
  persistence::session_key session_;
  std::shared_ptr<stream_reader> reader_;
};

} // namespace

const std::string& session_handle::id() const { return parts_->opened.row.id; }
bool session_handle::created() const { return parts_->opened.created; }
const persistence::session_row& session_handle::row() const { return parts_->opened.row; }

void session_handle::post(accept_message message, std::function<void(result<acceptance>)> then) {
  if (message.message_id.empty())
    message.message_id = parts_->node->ids().next();
  const auto& queue = message.delivery == delivery::steer ? parts_->opened.steer : parts_->opened.sends;
  ask<posted>(parts_->desk, queue, actors::post{std::make_shared<const accept_message>(std::move(message))},
      [parts = parts_, then](result<posted> answer) { then(parts->taken(std::move(answer))); });
}

result<acceptance> session_handle::post(accept_message message) {
  std::promise<result<acceptance>> answered;
  post(std::move(message), [&](result<acceptance> answer) { answered.set_value(std::move(answer)); });
  return answered.get_future().get();
}

namespace {

result<std::int64_t> head_of(const result<order_answer>& answer) {
  if (!answer)
    return answer.error();
  if (answer->refused)
    return *answer->refused;
  return answer->head;
}

} // namespace

result<std::int64_t> session_handle::order(command what) {
  return head_of(ask<order_answer>(
      parts_->desk, parts_->opened.agent, actors::order{std::make_shared<const command>(std::move(what))}));
}

// The order is in the mailbox before anything is stopped, so that it stands before the answers of
// what stops: the desk stops effects right after it has asked. What runs is looked up before: by the
// time it is stopped the order may be done and the next run begun.
result<std::int64_t> session_handle::abort(const std::string& by) {
  std::promise<result<order_answer>> answered;
  const auto running = parts_->opened.effects->hold();
  ask<order_answer>(parts_->desk, parts_->opened.agent,
      actors::order{std::make_shared<const command>(abort_run{by}), true},
      [&](result<order_answer> answer) { answered.set_value(std::move(answer)); });
  caf::anon_send(parts_->desk, errand{[running](caf::event_based_actor*) {
    for (const auto& stop : running)
      stop->stop();
  }});
  return head_of(answered.get_future().get());
}

result<std::optional<std::shared_ptr<const session::state>>> session_handle::wait(
    bool attention, std::chrono::milliseconds patience) {
  using answer = std::optional<std::shared_ptr<const session::state>>;
  std::promise<result<session_look>> answered;
  ask<session_look>(
      parts_->desk, parts_->opened.agent,
      wait_until{attention, parts_->seen.load(), std::chrono::steady_clock::now() + patience},
      [&](result<session_look> look) { answered.set_value(std::move(look)); }, caf::duration(patience));
  const auto look = answered.get_future().get();
  if (!look && look.error().code == problem_code::timeout)
    return answer();
  if (!look)
    return look.error();
  return answer(look->state);
}

void session_handle::when_idle(std::function<void(result<std::shared_ptr<const session::state>>)> then) {
  ask<session_look>(parts_->desk, parts_->opened.agent,
      wait_until{false, parts_->seen.load(), std::chrono::steady_clock::time_point::max()},
      [then](result<session_look> look) {
        if (look)
          then(look->state);
        else
          then(look.error());
      });
}

result<std::shared_ptr<const session::state>> session_handle::look(std::chrono::milliseconds patience) {
  std::promise<result<session_look>> answered;
  ask<session_look>(
      parts_->desk, parts_->opened.agent, actors::look{},
      [&](result<session_look> seen) { answered.set_value(std::move(seen)); }, caf::duration(patience));
  const auto answer = answered.get_future().get();
  if (!answer)
    return answer.error();
  return answer->state;
}

std::unique_ptr<live_stream> session_handle::follow(std::int64_t after) {
  return std::make_unique<reading>(parts_->node->hub, parts_->opened.row.key, after);
}

} // namespace troupe::actors
