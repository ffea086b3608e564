// What idle sessions and idle readers hold of the memory, as the kernel counts it.
#include "bench/http_clients.hpp"
#include "bench/meters.hpp"
#include "bench/themes.hpp"
#include "bench/turns.hpp"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

namespace troupe::bench {

namespace {

constexpr std::size_t idle_sessions = 10'000;
constexpr std::size_t at_once = 250; ///< turns, so that no crowd of them leaves its traces
constexpr double session_bytes_max = 8192;
constexpr std::size_t idle_readers = 10'000;
constexpr std::size_t read_sessions = 100;
constexpr double reader_bytes_max = 20'480;
constexpr double gib = 1024.0 * 1024 * 1024;

void play_one_turn_each(actors::node& node, std::size_t count) {
  for (std::size_t done = 0; done < count; done += at_once) {
    auto sessions = open_sessions(node, at_once);
    play_turns(sessions, at_once, [] { return prompt_of(turn_kind::simple); });
  }
}

// A node of its own each round. What the allocator held for others goes back first, so that the sessions
// can't use it; nothing is given back at the end, so that what they left behind counts as theirs.
double bytes_of_an_idle_session(const stage& on) {
  auto settings = on.node_settings();
  settings.rest_before_leaving = std::chrono::hours(24);
  const auto node = must(actors::node::start(std::move(settings)));
  play_one_turn_each(*node, 2 * at_once); // warm: threads, connections, buffers
  malloc_trim(0);
  const auto before = resident_bytes(getpid());
  play_one_turn_each(*node, idle_sessions);
  const auto after = resident_bytes(getpid());
  if (node->sessions_in_memory() < idle_sessions)
    throw std::runtime_error("idle sessions have left the memory");
  return (static_cast<double>(after) - static_cast<double>(before)) / idle_sessions;
}

void measure_sessions(bench& with) {
  const double bytes = median_of(with.out.rounds(), [&] { return bytes_of_an_idle_session(with.on); });
  with.out.add(
      {"idle_session_bytes", {{"sessions", std::to_string(idle_sessions)}}, bytes, "B", session_bytes_max});
  with.out.add(
      {"idle_sessions_per_gib", {}, gib / bytes, "sessions", gib / session_bytes_max, bound::at_least});
}

std::string session_name(std::size_t n) { return "read-" + std::to_string(n); }

// Readers are served once they have the past; these do nothing but wait then.
std::vector<event_reader> open_readers(std::uint16_t port, std::size_t count) {
  std::vector<event_reader> readers;
  readers.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    readers.emplace_back(port, session_name(i % read_sessions), 0);
  for (auto& reader : readers)
    while (reader.next().name != "run.finished") {
    }
  return readers;
}

double bytes_of_an_idle_reader(const std::vector<std::string>& server_words) {
  const served_program server(server_words);
  const auto warm = open_readers(server.port(), 2 * read_sessions);
  const auto before = resident_bytes(server.process());
  const auto readers = open_readers(server.port(), idle_readers);
  const auto after = resident_bytes(server.process());
  return (static_cast<double>(after) - static_cast<double>(before)) / idle_readers;
}

void make_sessions_to_read(std::uint16_t port) {
  http_load client(port, 1);
  std::size_t n = 0;
  client.requests_per_second(read_sessions, 201,
      [&](std::size_t) { return post_request("/v1/sessions", R"({"id":")" + session_name(n++) + "\"}"); });
  n = 0;
  client.requests_per_second(read_sessions, 202, [&](std::size_t) {
    return post_request("/v1/sessions/" + session_name(n++) + "/messages",
        R"({"delivery":"send","content":")" + prompt_of(turn_kind::simple) + "\"}");
  });
}

// A descriptor a reader, here and in the server, which inherits the limit.
void allow_descriptors() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < idle_readers + 1000)
    throw std::runtime_error("the readers need " + std::to_string(idle_readers + 1000)
        + " file descriptors, and " + std::to_string(limit.rlim_cur) + " are allowed: raise `ulimit -Hn`");
}

void measure_readers(bench& with) {
  allow_descriptors();
  auto words = with.on.troupe_words(with.on.gym_url());
  words.insert(
      words.end(), {"--database", with.on.fresh_database("served"), "serve", "--listen", "127.0.0.1:0"});
  make_sessions_to_read(served_program(words).port());
  const double bytes = median_of(with.out.rounds(), [&] { return bytes_of_an_idle_reader(words); });
  with.out.add({"reader_bytes", {{"readers", std::to_string(idle_readers)}}, bytes, "B", reader_bytes_max});
}

} // namespace

void measure_memory(bench& with) {
  if (with.out.wants_any({"idle_session_bytes", "idle_sessions_per_gib"}))
    measure_sessions(with);
  if (with.out.wants("reader_bytes"))
    measure_readers(with);
}

} // namespace troupe::bench
