// A session played back: an actor reads the past as any reader does, and passes it on when it is due.
#include "actors/desk.hpp"
#include "actors/history/playback.hpp"
#include "actors/stream_hub/stream_reader.hpp"

#include <deque>

namespace troupe::actors {

namespace {

class player_shell {
 public:
  player_shell(caf::event_based_actor* self, std::shared_ptr<live_stream> past,
      std::shared_ptr<stream_reader> shown, double speed)
      : self_(self), past_(std::move(past)), shown_(std::move(shown)), speed_(speed) {
    past_->when_ready(waking());
  }

  // Told once too often, it finds nothing to do.
  void play_on(bool pause_over) {
    if (pause_over && std::exchange(pausing_, false))
      show();
    while (!pausing_) {
      if (!shown_->is_hungry())
        return shown_->when_hungry(waking());
      if (due_.empty() && !take_next())
        return;
      const auto pause = played_pause(last_.value_or(due_.front().at), due_.front().at, speed_);
      last_ = due_.front().at;
      if (pause.count() == 0) {
        show();
        continue;
      }
      pausing_ = true;
      self_->delayed_send(self_, pause, actors::play_on{true});
    }
  }

 private:
  std::function<void()> waking() {
    return [player = caf::actor_cast<caf::actor_addr>(self_)] {
      if (const auto here = caf::actor_cast<caf::actor>(player))
        caf::anon_send(here, actors::play_on{});
    };
  }

  bool take_next() {
    const auto item = past_->next(std::chrono::milliseconds(0));
    const auto* const event = item ? std::get_if<recorded_event>(&*item) : nullptr;
    if (event) {
      auto items = playback_.take(*event);
      due_.assign(std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
    } else if (!item && past_->ended()) {
      shown_->close();
    }
    return !due_.empty();
  }

  void show() {
    auto item = std::move(due_.front().what);
    due_.pop_front();
    if (auto* const event = std::get_if<recorded_event>(&item))
      shown_->offer_page({std::move(*event)});
    else if (auto* const delta = std::get_if<live_delta>(&item))
      shown_->offer(std::vector<live_item>{std::move(*delta)});
  }

  caf::event_based_actor* self_;
  std::shared_ptr<live_stream> past_;
  std::shared_ptr<stream_reader> shown_;
  const double speed_;
  playback playback_;
  std::deque<played_item> due_;
  std::optional<timestamp> last_;
  bool pausing_ = false;
};

caf::behavior player(caf::event_based_actor* self, std::shared_ptr<live_stream> past,
    std::shared_ptr<stream_reader> shown, double speed) {
  auto shell = std::make_shared<player_shell>(self, std::move(past), std::move(shown), speed);
  return {[=](const play_on& what) { shell->play_on(what.pause_over); }};
}

class played : public live_stream {
 public:
  played(const node_parts& parts, const persistence::session_key& session, std::int64_t after, double speed)
      : shown_(std::make_shared<stream_reader>(after, false, parts.reader_bytes_max)),
        player_(parts.hub.home_system().spawn(player,
            std::shared_ptr<live_stream>(open_stream(parts, session, after, false)), shown_, speed)) {}
  ~played() override { caf::anon_send_exit(player_, caf::exit_reason::user_shutdown); }
  played(const played&) = delete;
  played& operator=(const played&) = delete;
  std::optional<stream_item> next(std::chrono::milliseconds patience) override {
    return shown_->next(patience);
  }
  bool ended() const override { return shown_->ended(); }
  bool overflowed() const override { return shown_->overflowed(); }
  void when_ready(std::function<void()> wake) override { shown_->when_ready(std::move(wake)); }

 private:
  std::shared_ptr<stream_reader> shown_;
  caf::actor player_;
};

} // namespace

std::unique_ptr<live_stream> open_playback(
    const node_parts& parts, const persistence::session_key& session, std::int64_t after, double speed) {
  return std::make_unique<played>(parts, session, after, speed);
}

} // namespace troupe::actors
