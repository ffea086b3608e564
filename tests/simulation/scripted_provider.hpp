// A model whose answers are drawn by chance, piece by piece, with everything that goes wrong with services.
#pragma once

#include "providers/provider.hpp"
#include "tests/simulation/ground.hpp"

#include <deque>

namespace troupe::simulation {

class witness;

class scripted_provider final : public providers::provider {
 public:
  scripted_provider(ground& on, witness& logs, std::int64_t node) : on_(on), logs_(logs), node_(node) {}
  std::shared_ptr<providers::attempt> start(
      providers::inference_request request, providers::event_sink sink) override;

  /// How many attempts have something to give now.
  std::size_t ready() const;
  /// Lets the n-th of those give it.
  void go_on(std::size_t n);
  /// Lets one that is cancelled end; false if there is none.
  bool finish_one();
  std::optional<std::int64_t> next_ms() const;
  std::size_t open() const { return attempts_.size(); }
  /// The node crashed: nothing comes any more.
  void drop();

 private:
  struct answer;
  class scripted_attempt;
  void judge(const providers::inference_request& request);
  bool is_ready(const answer& one) const;
  void deliver(std::size_t at);

  ground& on_;
  witness& logs_;
  std::int64_t node_;
  bool dropped_ = false;
  std::vector<std::shared_ptr<answer>> attempts_;
};

} // namespace troupe::simulation
