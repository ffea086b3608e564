// One actor stands for all sessions: it sends an append for each, and the next when one is answered.
#include "bench/appends.hpp"

#include "actors/node_parts.hpp"
#include "actors/persistence/persistence_actor.hpp"
#include "messages/event_codec.hpp"
#include "persistence/this_process.hpp"

#include <future>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

namespace troupe::bench {

namespace {

using steady = std::chrono::steady_clock;

constexpr std::size_t events_an_append = 4; ///< about what a command gives
constexpr std::size_t payload_bytes = 150;
constexpr std::chrono::minutes lease{30};
constexpr std::size_t writers = 2; ///< `database.writers`, for a machine of two cores that does little else

struct line {
  persistence::session_key key;
  caf::actor writer; ///< as a node spreads its sessions
  std::int64_t epoch = 0;
  std::int64_t head = 0;
};

/// One measurement, for as long as it takes; shared with the actor, which may be ending yet when it is over.
struct load {
  actors::fresh_ids ids; ///< as agents have them: the system's random numbers would cost more than the append
  const actors::node_clock& now;
  std::vector<line>& lines;
  std::size_t sessions = 0;
  persistence::append sample;
  steady::time_point until;
  append_cost cost;
  std::size_t committed = 0;
  std::size_t under_way = 0;
  std::promise<void> over;
  std::string trouble;
};

persistence::append sample_append() {
  persistence::append out;
  out.command = command_kind::take_up;
  std::string text = random_words(payload_bytes);
  text.resize(payload_bytes - std::string_view(R"({"text":"","reason":"measured"})").size());
  const event_data data = notice_added{text, "measured"};
  const std::string payload = encode(data);
  for (std::size_t i = 0; i < events_an_append; ++i)
    out.events.push_back({std::string(type_name(data)), 1, {}, std::nullopt, payload});
  out.view = persistence::session_view{
      "running", true, std::nullopt, R"({"usage":{"input_tokens":1200,"output_tokens":40}})"};
  return out;
}

void end_one(caf::event_based_actor* self, load& of) {
  if (--of.under_way > 0)
    return;
  of.over.set_value();
  self->quit();
}

void append_next(caf::event_based_actor* self, const std::shared_ptr<load>& of, std::size_t session);

void appended(caf::event_based_actor* self, const std::shared_ptr<load>& of, std::size_t session,
    steady::time_point begin, const actors::append_answer& answer) {
  const auto* const done = answer.outcome ? std::get_if<persistence::committed>(&*answer.outcome) : nullptr;
  if (!done) {
    of->trouble = answer.outcome ? "it wasn't committed" : answer.outcome.error().detail;
    return end_one(self, *of);
  }
  of->cost.commit_ms.push_back(std::chrono::duration<double, std::milli>(steady::now() - begin).count());
  of->committed += done->events.size();
  of->lines[session].head = done->events.back().seq;
  steady::now() < of->until ? append_next(self, of, session) : end_one(self, *of);
}

void append_next(caf::event_based_actor* self, const std::shared_ptr<load>& of, std::size_t session) {
  const auto& line = of->lines[session];
  auto what = std::make_shared<persistence::append>(of->sample);
  what->session = line.key;
  what->epoch = line.epoch;
  what->expected_head = line.head;
  what->append_id = of->ids.next();
  for (auto& event : what->events)
    event.at = of->now.now();
  const auto begin = steady::now();
  self->request(line.writer, caf::infinite, actors::append_order{std::move(what)})
      .then([=](const actors::append_answer& answer) { appended(self, of, session, begin, answer); },
          [=](const caf::error& why) {
            of->trouble = caf::to_string(why);
            end_one(self, *of);
          });
}

} // namespace

struct append_stage::parts {
  persistence::node_identity identity = persistence::this_process("bench-appends");
  std::shared_ptr<persistence::journal> sessions; ///< makes them and keeps their lease
  std::shared_ptr<actors::surroundings> machine = actors::this_machine();
  actors::node_clock clock{*machine};
  actors::node_entropy entropy{machine->random_seed()};
  std::vector<line> lines;
  caf::actor_system_config config;
  std::unique_ptr<caf::actor_system> system;
  std::vector<caf::actor> writers;
};

append_stage::append_stage(const stage& on, std::size_t sessions) : parts_(std::make_unique<parts>()) {
  static std::size_t opened = 0;
  auto& in = *parts_;
  const auto settings = on.node_settings();
  in.sessions = must(settings.open_journal());
  const auto tenant = must(in.sessions->tenant("default"));
  must(in.sessions->heartbeat(in.identity, std::chrono::milliseconds(lease).count()));
  for (std::size_t i = 0; i < sessions; ++i) {
    const auto row = must(in.sessions->create(tenant, "append-" + std::to_string(++opened), in.identity));
    in.lines.push_back({row.key, {}, row.epoch, row.head});
  }
  in.config.set("scheduler.policy", caf::atom("sharing")); // as a node has it
  in.config.set("scheduler.max-threads", std::size_t{2});
  in.system = std::make_unique<caf::actor_system>(in.config);
  for (std::size_t i = 0; i < writers; ++i)
    in.writers.push_back(
        in.system->spawn<caf::detached>(actors::persistence_actor, must(settings.open_journal())));
  for (auto& line : in.lines)
    line.writer = in.writers[static_cast<std::size_t>(line.key.branch) % in.writers.size()];
}

append_stage::~append_stage() {
  for (const auto& writer : parts_->writers)
    caf::anon_send_exit(writer, caf::exit_reason::user_shutdown);
  parts_->writers.clear();
  parts_->lines.clear();
  parts_->system.reset(); // waits for the actor
  parts_->sessions->leave(parts_->identity);
}

append_cost append_stage::measure(std::size_t sessions, std::chrono::milliseconds time) {
  const auto begin = steady::now();
  const auto measuring = std::make_shared<load>(load{{parts_->clock, parts_->entropy}, parts_->clock,
      parts_->lines, sessions, sample_append(), begin + time, {}, 0, sessions, {}, {}});
  parts_->system->spawn([measuring](caf::event_based_actor* self) {
    for (std::size_t i = 0; i < measuring->sessions; ++i)
      append_next(self, measuring, i);
  });
  measuring->over.get_future().wait();
  if (!measuring->trouble.empty())
    throw std::runtime_error("an append failed: " + measuring->trouble);
  measuring->cost.events_per_second = static_cast<double>(measuring->committed)
      / std::chrono::duration<double>(steady::now() - begin).count();
  return std::move(measuring->cost);
}

} // namespace troupe::bench
