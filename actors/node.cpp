// The supervision tree's root, and blocking calls into it.
#include "actors/node.hpp"

#include "actors/effects.hpp"
#include "actors/fleet/fleet_actor.hpp"
#include "actors/persistence/persistence_actor.hpp"
#include "actors/stream_hub/stream_hub.hpp"
#include "actors/stream_hub/stream_reader.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <future>

namespace troupe::actors {

namespace {

problem lost(const caf::error& why) {
  if (why == caf::sec::request_timeout)
    return {problem_code::timeout, "the session didn't answer in time", {}};
  return {problem_code::unavailable,
      "the session's actor is gone (" + caf::to_string(why) + "); open the session again", {}};
}

caf::behavior desk_actor(caf::event_based_actor* self) {
  return {[=](const errand& e) { e.what(self); }};
}

// One request, asked by the desk; `then` gets the answer on a thread of the node. A request without
// a bound is answered when its actor ends, at the latest.
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

// The same, waiting for it.
template <class Answer, class Request>
result<Answer> ask(const caf::actor& desk, const caf::actor& whom, Request what) {
  auto answered = std::make_shared<std::promise<result<Answer>>>();
  auto future = answered->get_future();
  ask<Answer>(desk, whom, std::move(what),
      [answered](result<Answer> answer) { answered->set_value(std::move(answer)); });
  return future.get();
}

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

struct node::insides {
  caf::actor_system_config config;
  std::unique_ptr<caf::actor_system> system;
  std::shared_ptr<node_parts> parts = std::make_shared<node_parts>();
  std::vector<std::shared_ptr<persistence::journal>> journals;
  caf::actor fleet;
  caf::actor desk;
};

node::node(std::unique_ptr<insides> in) : in_(std::move(in)) {}

result<std::unique_ptr<node>> node::start(node_settings settings) {
  auto in = std::make_unique<insides>();
  std::vector<std::shared_ptr<persistence::journal>>
      journals; // the fleet's, the archive's, then the writers'
  for (std::size_t i = 0; i < settings.writers + 2; ++i) {
    auto journal = settings.open_journal();
    if (!journal)
      return journal.error();
    journals.push_back(std::move(*journal));
  }
  const auto tenant = journals[0]->tenant(settings.tenant);
  if (!tenant)
    return tenant.error();
  const auto now = journals[0]->heartbeat(settings.identity, settings.lease.count());
  if (!now)
    return now.error();
  in->parts->clock.correct(*now);
  in->parts->lease.extend(std::chrono::steady_clock::now() + settings.lease);
  in->parts->providers = std::move(settings.providers);
  in->parts->tools = std::move(settings.tools);
  // Work stealing polls for up to 10 ms; sharing wakes a worker at once.
  in->config.set("scheduler.policy", caf::atom("sharing"));
  in->config.set("scheduler.max-threads", settings.worker_threads);
  in->system = std::make_unique<caf::actor_system>(in->config);
  for (std::size_t i = 2; i < journals.size(); ++i)
    in->parts->persistence.push_back(in->system->spawn<caf::detached>(persistence_actor, journals[i]));
  in->parts->archive = in->system->spawn<caf::detached>(archive_actor, journals[1]);
  in->parts->hub = in->system->spawn(stream_hub, in->parts->archive);
  in->desk = in->system->spawn(desk_actor);
  in->fleet = in->system->spawn<caf::detached>(
      fleet_actor, fleet_settings{*tenant, settings.identity, settings.lease}, journals[0], in->parts);
  caf::anon_send(in->fleet, heartbeat_due{});
  in->journals = std::move(journals);
  return std::unique_ptr<node>(new node(std::move(in)));
}

node::~node() {
  for (std::size_t i = 1; i < in_->journals.size(); ++i)
    in_->journals[i]->stop();
  (void)ask<done>(in_->desk, in_->fleet, shut_down{});
  for (const auto& actor : in_->parts->persistence)
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(in_->parts->archive, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(in_->parts->hub, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(in_->desk, caf::exit_reason::user_shutdown);
  in_->parts->persistence.clear();
  in_->parts->archive = nullptr;
  in_->parts->hub = nullptr;
  in_->fleet = nullptr;
  in_->desk = nullptr;
}

result<session_handle> node::open(options wanted, opening how, bool can_ask) {
  auto opened = ask<session_opened>(
      in_->desk, in_->fleet, open_session{std::make_shared<const options>(std::move(wanted)), how, can_ask});
  if (!opened)
    return opened.error();
  if (opened->refused)
    return *opened->refused;
  session_handle handle;
  handle.parts_ = std::make_shared<session_handle::parts>();
  handle.parts_->desk = in_->desk;
  handle.parts_->node = in_->parts;
  handle.parts_->opened = std::move(*opened);
  return handle;
}

const std::string& session_handle::id() const { return parts_->opened.row.id; }
bool session_handle::created() const { return parts_->opened.created; }
const persistence::session_row& session_handle::row() const { return parts_->opened.row; }

void session_handle::post(accept_message message, std::function<void(result<acceptance>)> then) {
  if (message.message_id.empty())
    message.message_id = fresh_ids(parts_->node->clock).next();
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
// what stops: the desk stops effects right after it has asked.
result<std::int64_t> session_handle::abort(const std::string& by) {
  std::promise<result<order_answer>> answered;
  ask<order_answer>(parts_->desk, parts_->opened.agent,
      actors::order{std::make_shared<const command>(abort_run{by})},
      [&](result<order_answer> answer) { answered.set_value(std::move(answer)); });
  caf::anon_send(parts_->desk,
      errand{[effects = parts_->opened.effects](caf::event_based_actor*) { effects->stop_all(); }});
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

result<std::shared_ptr<const session::state>> session_handle::look() {
  const auto answer = ask<session_look>(parts_->desk, parts_->opened.agent, actors::look{});
  if (!answer)
    return answer.error();
  return answer->state;
}

std::unique_ptr<live_stream> session_handle::follow(std::int64_t after) {
  return std::make_unique<reading>(parts_->node->hub, parts_->opened.row.key, after);
}

} // namespace troupe::actors
