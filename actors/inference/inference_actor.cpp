// Asks, passes on what comes, and asks again only while nothing of the answer has come (D-09).
#include "actors/inference/inference_actor.hpp"

#include "actors/inference/blob_filling.hpp"
#include "messages/text.hpp"
#include "providers/media_bound.hpp"
#include "providers/retry.hpp"

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

namespace troupe::actors {

namespace {

// A finished block goes to the log with what follows it, mostly the answer's end: one append for both.
// What lets it wait longer than this is no end but a pause.
constexpr std::chrono::milliseconds block_waits{20};

class inference_shell {
 public:
  inference_shell(caf::event_based_actor* self, inference_settings settings,
      std::shared_ptr<const node_parts> parts, caf::actor agent)
      : self_(self), settings_(std::move(settings)), parts_(std::move(parts)), agent_(std::move(agent)) {}

  /// One answer whatever happens: a fault of a provider's own is one too.
  template <class Step> void guard(Step step) {
    try {
      step();
    } catch (const std::exception& fault) {
      if (attempt_)
        attempt_->cancel();
      fail("unknown", "the provider failed: " + to_utf8(fault.what()));
    }
  }

  void begin() {
    begun_ = true;
    const auto address = caf::actor_cast<caf::actor_addr>(self_);
    settings_.stop->on_stop([address] {
      if (auto actor = caf::actor_cast<caf::actor>(address))
        caf::anon_send(actor, stop_now{});
    });
    fill_from_archive(self_, *parts_, settings_.session.tenant, settings_.request.messages,
        [this](const result<void>& filled) {
          if (!filled)
            return fail("unknown", filled.error().detail);
          guard([this] { attempt(); });
        });
  }

  void attempt() {
    if (stopped_)
      return end(cancelled());
    ++attempt_number_;
    // held by the attempt: an actor that nobody holds is no more
    attempt_ = settings_.provider->start(settings_.request,
        [actor = caf::actor_cast<caf::actor>(self_), number = attempt_number_](
            std::vector<providers::stream_event> events) {
          caf::anon_send(actor,
              stream_batch{
                  std::make_shared<const std::vector<providers::stream_event>>(std::move(events)), number});
        });
  }

  void take(const stream_batch& batch) {
    if (batch.attempt != attempt_number_ || ended_)
      return;
    std::vector<live_item> live;
    for (const auto& event : *batch.events) {
      if (const auto* const end_of_attempt = std::get_if<providers::attempt_finished>(&event)) {
        publish(std::move(live));
        return finish(*end_of_attempt);
      }
      if (std::holds_alternative<providers::block_started>(event) && !finished_.empty()) {
        publish(std::exchange(live, {})); // a block's deltas before the block
        tell_blocks();
      }
      pass_on(event, live);
    }
    publish(std::move(live));
    if (!finished_.empty())
      self_->delayed_send(self_, block_waits, actors::let_blocks_go{blocks_let_go_});
    attempt_->acknowledge(1);
  }

  /// What was finished by then and has waited since.
  void let_blocks_go(const actors::let_blocks_go& when) {
    if (when.mark == blocks_let_go_)
      tell_blocks();
  }

  void stop() {
    stopped_ = true;
    if (waiting_)
      return end(cancelled());
    if (attempt_)
      attempt_->cancel();
  }

  void try_now() {
    if (!begun_)
      return begin();
    if (!waiting_ || ended_)
      return;
    waiting_ = false;
    attempt();
  }

 private:
  void pass_on(const providers::stream_event& event, std::vector<live_item>& live) {
    came_ = true;
    if (std::holds_alternative<providers::block_started>(event))
      offset_ = 0;
    if (const auto* const delta = std::get_if<providers::block_delta>(&event)) {
      live.emplace_back(
          live_delta{settings_.request.inference_id, delta->index, delta->kind, offset_, delta->text});
      offset_ += delta->text.size();
    }
    if (const auto* const whole = std::get_if<providers::block_finished>(&event))
      finished_.push_back(whole->block);
  }

  void tell_blocks() {
    if (finished_.empty() || ended_)
      return;
    ++blocks_let_go_;
    tell_agent(block_finished{settings_.request.inference_id, std::exchange(finished_, {})});
  }

  void publish(std::vector<live_item> live) {
    if (!live.empty() && settings_.shown)
      self_->send(parts_->hub,
          publish_live{settings_.session, std::make_shared<const std::vector<live_item>>(std::move(live))});
  }

  void finish(const providers::attempt_finished& result) {
    attempt_.reset();
    if (result.another_key && !stopped_ && !std::exchange(asked_with_another_key_, true))
      return wait(0, result.error->message);
    if (result.error && !stopped_ && !came_ && leave_media_out(*result.error))
      return wait(0, result.error->message);
    if (result.error && !stopped_) {
      const auto delay =
          providers::next_retry(*result.error, retries_, settings_.max_retries, came_, result.retry_after_ms,
              settings_.retry_base_ms, parts_->entropy.fraction(), settings_.retry_after_ms_max);
      if (delay)
        return wait(*delay, result.error->message);
    }
    inference_answer answer;
    answer.finish = {settings_.request.inference_id, result.state, result.stop, result.stop_raw, result.usage,
        retries_, result.error, result.response_id, result.response_model};
    end(std::move(answer));
  }

  // Else a picture that stands in the history would fail every turn to come (B-077, B-079). Half of what
  // there is goes each time, so that it ends.
  bool leave_media_out(const failure& why) {
    auto& messages = settings_.request.messages;
    if (why.status == 413)
      return providers::keep_media_within(
          messages, providers::media_bytes(messages) / 2, "the provider takes no request of this size");
    return why.status == 400 && providers::blames_media(why.message)
        && providers::keep_media_within(messages, 0, "the provider refused it");
  }

  void wait(std::int64_t delay_ms, const std::string& why) {
    ++retries_;
    waiting_ = true;
    publish({live_retry{settings_.request.inference_id, retries_, delay_ms, why}});
    self_->delayed_send(self_, std::chrono::milliseconds(delay_ms), try_again{});
  }

  inference_answer cancelled() const {
    inference_answer answer;
    answer.finish.inference_id = settings_.request.inference_id;
    answer.finish.state = inference_state::cancelled;
    answer.finish.retries = retries_;
    return answer;
  }

  void fail(std::string code, std::string message) {
    inference_answer answer = cancelled();
    answer.finish.state = inference_state::error;
    answer.finish.error = failure{std::move(code), std::nullopt, false, std::move(message)};
    end(std::move(answer));
  }

  void end(inference_answer answer) {
    if (ended_)
      return;
    ended_ = true;
    if (answer.blocks.empty())
      answer.blocks = std::exchange(finished_, {}); // what was finished stays, however it ends
    tell_agent(std::move(answer));
    self_->quit();
  }

  template <class T> void tell_agent(T what) {
    caf::anon_send(agent_, order{std::make_shared<const command>(std::move(what))});
  }

  caf::event_based_actor* self_;
  inference_settings settings_;
  std::shared_ptr<const node_parts> parts_;
  caf::actor agent_;
  std::shared_ptr<providers::attempt> attempt_;
  std::int64_t attempt_number_ = 0;
  std::int64_t retries_ = 0;
  std::uint64_t offset_ = 0;
  std::vector<block> finished_;    ///< and not told yet
  std::int64_t blocks_let_go_ = 0; ///< counts how often they were
  bool begun_ = false;
  bool came_ = false;
  bool asked_with_another_key_ = false;
  bool waiting_ = false;
  bool stopped_ = false;
  bool ended_ = false;
};

} // namespace

caf::behavior inference_actor(caf::event_based_actor* self, inference_settings settings,
    std::shared_ptr<const node_parts> parts, caf::actor agent) {
  auto shell =
      std::make_shared<inference_shell>(self, std::move(settings), std::move(parts), std::move(agent));
  self->send(self, try_again{});
  return {
      [=](const stream_batch& batch) { shell->guard([&] { shell->take(batch); }); },
      [=](const let_blocks_go& when) { shell->let_blocks_go(when); },
      [=](const try_again&) { shell->guard([&] { shell->try_now(); }); },
      [=](const stop_now&) { shell->guard([&] { shell->stop(); }); },
  };
}

} // namespace troupe::actors
