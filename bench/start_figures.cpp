// How long a command takes from nothing until it asks the model.
#include "bench/themes.hpp"
#include "bench/waiting.hpp"
#include "persistence/cluster_place.hpp"
#include "providers/gym/server.hpp"

namespace troupe::bench {

namespace {

constexpr std::chrono::seconds patience{60};

/// `troupe run` again and again, against a gym of this process that tells when it is asked.
class cold_starts {
 public:
  explicit cold_starts(const stage& on) : on_(on), gym_(must(providers::gym::server::start({}))) {}

  double until_the_model_is_asked(const std::filesystem::path& data) {
    auto words = on_.troupe_words(gym_->base_url());
    words.insert(words.end(), {"--data-dir", data.string(), "run", "Hello"});
    const auto begin = std::chrono::steady_clock::now();
    const pid_t command = start_program(words);
    const bool asked = gym_->wait_for_requests(++runs_, patience);
    const double took = ms_since(begin);
    if (wait_for_end(command) != 0 || !asked)
      throw std::runtime_error("`troupe run` failed");
    return took;
  }

  std::filesystem::path fresh_folder() const { return on_.folder() / ("first-" + std::to_string(runs_)); }

 private:
  const stage& on_;
  std::unique_ptr<providers::gym::server> gym_;
  std::size_t runs_ = 0;
};

void wait_until_stopped(const std::filesystem::path& data) {
  const auto place = must(persistence::prepare_place(data));
  wait_for([&] { return !std::filesystem::exists(place.data / "postmaster.pid"); },
      "the private PostgreSQL to stop");
}

void measure_cold_starts(bench& with) {
  cold_starts starts(with.on);
  const auto running = with.on.folder() / "data"; // the stage's own, which runs
  starts.until_the_model_is_asked(running);       // warm: the program's pages
  const auto add = [&](const char* which, double ms, std::optional<double> target) {
    with.out.add({"cold_start_ms", {{"case", which}}, ms, "ms", target});
  };
  const int rounds = with.out.rounds();
  add("running", median_of(2 * rounds, [&] { return starts.until_the_model_is_asked(running); }), 200.0);
  std::filesystem::path stopped;
  add("first",
      median_of(rounds,
          [&] {
            stopped = starts.fresh_folder();
            const double took = starts.until_the_model_is_asked(stopped);
            wait_until_stopped(stopped);
            return took;
          }),
      3000.0);
  add("starting",
      median_of(rounds,
          [&] {
            const double took = starts.until_the_model_is_asked(stopped);
            wait_until_stopped(stopped);
            return took;
          }),
      {});
}

} // namespace

void measure_starts(bench& with) {
  if (with.out.wants("cold_start_ms"))
    measure_cold_starts(with);
}

} // namespace troupe::bench
