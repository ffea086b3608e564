// What Troupe adds to a stream. The clock starts when a piece's bytes leave the HTTP client for the
// decoder, and stops when a reader on a thread of its own has the piece in its hands. Both moments are this
// process's own, so nothing is inferred from two runs. What lies before, the gym's write and our read from
// the socket, any client has.
#include "bench/appends.hpp"
#include "bench/stream_readers.hpp"
#include "bench/themes.hpp"
#include "gateway/server.hpp"

#include <future>

namespace troupe::bench {

namespace {

constexpr std::size_t streams = 32;
constexpr int streamed_turns = 8; ///< of half a second, a session and round
constexpr int paced_turns = 30;

class streaming_stage {
 public:
  explicit streaming_stage(const stage& on) : came_(std::make_shared<arrivals>()) {
    auto settings = on.node_settings();
    settings.providers["gym"].provider = stamped_gym(on.gym_client(), came_);
    node_ = must(actors::node::start(std::move(settings)));
    server_ = must(gateway::server::start(*node_, {}));
    sessions_ = open_sessions(*node_, streams);
  }
  ~streaming_stage() {
    server_->drain(std::chrono::milliseconds(1));
    sessions_.clear();
    node_.reset(); // before the server: its actors may still be answering
  }
  streaming_stage(const streaming_stage&) = delete;
  streaming_stage& operator=(const streaming_stage&) = delete;

  added_times all_streams(bool over_http) {
    std::vector<std::future<added_times>> reading;
    for (std::size_t i = 0; i < streams; ++i)
      reading.push_back(std::async(std::launch::async, [this, i, over_http] {
        return read_turns(sessions_[i], *reader(i, over_http), streamed_prompt(i), streamed_turns, *came_);
      }));
    added_times all;
    for (auto& one : reading)
      all.append(one.get());
    return all;
  }

  added_times one_paced() {
    return read_turns(sessions_[0], *reader(0, false), prompt_of(turn_kind::paced), paced_turns, *came_);
  }

 private:
  std::unique_ptr<timed_reader> reader(std::size_t i, bool over_http) {
    return over_http ? read_over_http(server_->port(), sessions_[i]) : read_in_process(sessions_[i]);
  }

  std::shared_ptr<arrivals> came_;
  std::unique_ptr<actors::node> node_;
  std::unique_ptr<gateway::server> server_;
  std::vector<actors::session_handle> sessions_;
};

void measure_added(bench& with, streaming_stage& on, bool over_http) {
  quantiles first, deltas;
  for (int round = 0; round < with.out.rounds(); ++round) {
    const auto added = on.all_streams(over_http);
    first.add(added.first);
    deltas.add(added.deltas);
  }
  labels where{{"streams", std::to_string(streams)}};
  if (over_http)
    where.emplace_back("over", "http");
  first.tell(with.out, "first_byte_added_ms", where, over_http ? 1.0 : 0.5,
      over_http ? std::nullopt : std::optional(3.0));
  deltas.tell(with.out, "delta_added_ms", where);
}

// A commit of its own is what durability costs on this machine: it is measured beside and taken off.
void measure_ends(bench& with, streaming_stage& on) {
  append_stage beside(with.on, 1);
  quantiles ends;
  for (int round = 0; round < with.out.rounds(); ++round) {
    const double commit = quantile(beside.measure(1, std::chrono::milliseconds(500)).commit_ms, 0.5);
    auto added = on.one_paced().ends;
    for (auto& ms : added)
      ms -= commit;
    ends.add(added);
  }
  ends.tell(with.out, "last_byte_to_durable_ms", {{"sessions", "1"}}, 1.5);
}

} // namespace

void measure_streams(bench& with) {
  const bool added = with.out.wants_any({"first_byte_added_ms", "delta_added_ms"});
  const bool ends = with.out.wants("last_byte_to_durable_ms");
  if (!added && !ends)
    return;
  streaming_stage on(with.on);
  if (added) {
    on.all_streams(false); // warm
    measure_added(with, on, false);
    measure_added(with, on, true);
  }
  if (ends)
    measure_ends(with, on);
}

} // namespace troupe::bench
