// Attempts are a list; whoever steps the world picks the one that gives its next piece.
#include "tests/simulation/scripted_provider.hpp"

#include "session/pairing.hpp"
#include "tests/simulation/answer_script.hpp"
#include "tests/simulation/witness.hpp"

#include <algorithm>

namespace troupe::simulation {

struct scripted_provider::answer {
  answer_script script;
  providers::event_sink sink;
  std::size_t credit = 4;
  bool cancelled = false;
  std::int64_t from_ms = 0; ///< nothing comes before
};

class scripted_provider::scripted_attempt final : public providers::attempt {
 public:
  explicit scripted_attempt(std::weak_ptr<answer> of) : of_(std::move(of)) {}
  void acknowledge(std::size_t batches) override {
    if (const auto one = of_.lock())
      one->credit += batches;
  }
  void cancel() override {
    if (const auto one = of_.lock())
      one->cancelled = true;
  }

 private:
  std::weak_ptr<answer> of_;
};

std::shared_ptr<providers::attempt> scripted_provider::start(
    providers::inference_request request, providers::event_sink sink) {
  auto one = std::make_shared<answer>();
  if (!dropped_) {
    judge(request);
    on_.story.tell("asked", node_, static_cast<std::int64_t>(request.messages.size()),
        [&] { return request.inference_id; });
    one->script = draw_answer(on_, request);
    one->sink = std::move(sink);
    one->from_ms = on_.now_ms + (on_.luck.one_in(3) ? on_.luck.between(1, 2000) : 0);
    attempts_.push_back(one);
  }
  return std::make_shared<scripted_attempt>(one);
}

// What a service would refuse, and what mustn't be asked before it is committed.
void scripted_provider::judge(const providers::inference_request& request) {
  logs_.look();
  const auto& logs = logs_.logs();
  if (std::none_of(logs.begin(), logs.end(),
          [&](const auto& log) { return log.second.inferences.contains(request.inference_id); }))
    on_.broken("the inference " + request.inference_id + " was asked before it was committed");
  if (const auto breach = session::pairing_breach(request.messages))
    on_.broken("I-4: the model was asked with a context in which " + *breach);
}

bool scripted_provider::is_ready(const answer& one) const {
  const bool more = !one.script.pieces.empty();
  return one.cancelled || (!more && on_.tame) || (one.credit > 0 && more && on_.now_ms >= one.from_ms);
}

std::size_t scripted_provider::ready() const {
  return static_cast<std::size_t>(
      std::count_if(attempts_.begin(), attempts_.end(), [&](const auto& one) { return is_ready(*one); }));
}

void scripted_provider::go_on(std::size_t n) {
  for (std::size_t at = 0; at < attempts_.size(); ++at)
    if (is_ready(*attempts_[at]) && n-- == 0)
      return deliver(at);
}

bool scripted_provider::finish_one() {
  for (std::size_t at = 0; at < attempts_.size(); ++at)
    if (attempts_[at]->cancelled) {
      deliver(at);
      return true;
    }
  return false;
}

void scripted_provider::deliver(std::size_t at) {
  const auto one = attempts_[at];
  std::vector<providers::stream_event> piece;
  if (one->cancelled) {
    providers::attempt_finished last;
    last.state = inference_state::cancelled;
    piece.push_back(std::move(last));
  } else if (one->script.pieces.empty()) { // it hung, and the connection breaks in the end
    providers::attempt_finished last;
    last.state = inference_state::error;
    last.error = failure{"network", std::nullopt, true, "The connection broke."};
    piece.push_back(std::move(last));
  } else {
    piece = std::move(one->script.pieces.front());
    one->script.pieces.pop_front();
    --one->credit;
  }
  const bool ends = std::holds_alternative<providers::attempt_finished>(piece.back());
  if (ends)
    attempts_.erase(attempts_.begin() + static_cast<std::ptrdiff_t>(at));
  else if (on_.luck.one_in(6))
    one->from_ms = on_.now_ms + on_.luck.between(1, 500);
  one->sink(std::move(piece));
  if (ends)
    one->sink = nullptr; // it holds the actor that holds the attempt
}

std::optional<std::int64_t> scripted_provider::next_ms() const {
  std::optional<std::int64_t> next;
  for (const auto& one : attempts_)
    if (!one->script.pieces.empty() && one->from_ms > on_.now_ms)
      next = std::min(next.value_or(one->from_ms), one->from_ms);
  return next;
}

void scripted_provider::drop() {
  dropped_ = true;
  for (const auto& one : attempts_)
    one->sink = nullptr;
  attempts_.clear();
}

} // namespace troupe::simulation
