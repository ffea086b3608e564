// PostgreSQL's and the gym's own speed, in the same run.
#include "bench/meters.hpp"
#include "bench/themes.hpp"
#include "providers/anthropic/format.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace troupe::bench {

double yardsticks::inserts_per_second(int clients) {
  if (const auto known = inserts_.find(clients); known != inserts_.end())
    return known->second;
  const database_meter database(on_.database_url());
  const double rate =
      median_of(out_.rounds(), [&] { return database.pgbench_inserts_per_second(clients, 2); });
  out_.add({"pgbench_inserts_per_second", {{"clients", std::to_string(clients)}}, rate, "rows/s"});
  return inserts_[clients] = rate;
}

namespace {

// Streams of simple answers, through a provider alone, so many at once.
double gym_streams_per_second(const stage& on, std::size_t at_once) {
  constexpr std::size_t count = 2000;
  const auto provider = providers::anthropic::make_provider(on.gym_client());
  std::atomic<std::size_t> started{0};
  std::size_t ended = 0;
  std::mutex mutex;
  std::condition_variable all_ended;
  std::function<void()> next = [&] {
    if (started.fetch_add(1) >= count)
      return;
    providers::inference_request request;
    request.model = "claude-gym";
    request.messages = {{"user", {text_part{prompt_of(turn_kind::simple)}}, {}, std::nullopt, std::nullopt}};
    auto holder = std::make_shared<std::shared_ptr<providers::attempt>>();
    *holder = provider->start(std::move(request), [&, holder](std::vector<providers::stream_event> events) {
      if (!std::holds_alternative<providers::attempt_finished>(events.back())) {
        if (*holder)
          (*holder)->acknowledge(1);
        return;
      }
      next();
      const std::lock_guard lock(mutex);
      if (++ended == count)
        all_ended.notify_all();
    });
  };
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < at_once; ++i)
    next();
  std::unique_lock lock(mutex);
  all_ended.wait(lock, [&] { return ended == count; });
  return static_cast<double>(count)
      / std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

void measure_yardsticks(bench& with) {
  if (with.out.wants("pgbench_inserts_per_second"))
    for (const int clients : {1, 32, 64, 256})
      with.beside.inserts_per_second(clients);
  if (with.out.wants("gym_streams_per_second"))
    for (const std::size_t at_once : {1U, 32U, 256U})
      with.out.add({"gym_streams_per_second", {{"streams", std::to_string(at_once)}},
          median_of(with.out.rounds(), [&] { return gym_streams_per_second(with.on, at_once); }),
          "streams/s"});
}

} // namespace troupe::bench
