// Readers by session; pages of the past for those who are behind, what is published for the others.
#include "actors/stream_hub/stream_hub.hpp"

#include "actors/session_directory.hpp"
#include "actors/stream_hub/watched_session.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/response_promise.hpp>
#include <caf/send.hpp>

#include <algorithm>

namespace troupe::actors {

namespace {

constexpr std::chrono::milliseconds look_every{250};
// Of sessions that are here, too, now and then: a node that stood still past its lease believes for a while
// that it owns them, and what the new owner appends is published nowhere here.
constexpr int looks_between_whole_ones = 20;
constexpr std::chrono::seconds archive_patience{60};
constexpr std::int64_t page_events = 128;

class hub_shell {
 public:
  hub_shell(caf::event_based_actor* self, caf::actor archive, std::shared_ptr<const session_directory> owned)
      : self_(self), archive_(std::move(archive)), owned_(std::move(owned)) {}

  void subscribe(const actors::subscribe& what) {
    sessions_[what.session].listeners.push_back({what.reader});
    read_on(what.session, what.reader);
    if (!std::exchange(looking_, true))
      self_->delayed_send(self_, look_every, look_at_heads{});
  }

  void unsubscribe(const actors::unsubscribe& what) {
    const auto session = sessions_.find(what.session);
    if (session == sessions_.end())
      return;
    std::erase_if(session->second.listeners, [&](const auto& one) { return one.reader == what.reader; });
    if (session->second.is_idle())
      sessions_.erase(session);
    tell_settled();
  }

  void publish(const publish_events& what) {
    const auto session = sessions_.find(what.session);
    if (session == sessions_.end())
      return;
    auto& watched = session->second;
    watched.take(*what.events);
    const bool shown = std::none_of(what.events->begin(), what.events->end(), needs_filling);
    for (auto& one : watched.listeners)
      if (one.live && shown)
        one.reader->offer(*what.events);
      else if (one.live)
        fall_behind(session->first, one);
    if (watched.is_idle())
      sessions_.erase(session);
  }

  // Also for a session without listeners: whoever comes later must get the block so far.
  void publish(const publish_live& what) {
    auto& watched = sessions_[what.session];
    watched.take(*what.items);
    if (watched.is_idle())
      sessions_.erase(what.session);
  }

  void read_on(const persistence::session_key& key, const std::shared_ptr<stream_reader>& reader) {
    auto* const one = find(key, reader);
    if (!one || one->live || one->reading)
      return;
    one->reading = true;
    self_->request(archive_, archive_patience, read_stream_page{key, reader->next_seq() - 1, page_events})
        .then([=, this](const stream_page_answer& answer) { got(key, reader, answer.page); },
            [=, this](const caf::error&) { again_later(key, reader); });
  }

  caf::typed_response_promise<done> settle() {
    auto promise = self_->make_response_promise<done>();
    settling_.push_back(promise);
    tell_settled();
    return promise;
  }

  // What was appended elsewhere is read; a reader that waits for an event that was never published
  // (its publisher died) reads it as well.
  void look() {
    std::vector<persistence::session_key> elsewhere;
    bool listened = false;
    const bool whole = ++looks_ % looks_between_whole_ones == 0;
    for (auto& [key, watched] : sessions_) {
      for (auto& one : watched.listeners)
        if (one.live && one.reader->has_gap())
          fall_behind(key, one);
      listened = listened || !watched.listeners.empty();
      if (!watched.listeners.empty() && (whole || !owned_->owns(key)))
        elsewhere.push_back(key);
    }
    // a stream that was cut off with its node: nobody listens, and what ends it happens elsewhere
    std::erase_if(sessions_,
        [&](const auto& entry) { return entry.second.listeners.empty() && !owned_->owns(entry.first); });
    looking_ = listened;
    if (elsewhere.empty()) {
      if (listened)
        self_->delayed_send(self_, look_every, look_at_heads{});
      return;
    }
    self_->request(archive_, archive_patience, read_heads{elsewhere})
        .then(
            [=, this](const heads_answer& answer) {
              if (answer.heads)
                compare(elsewhere, *answer.heads);
              self_->delayed_send(self_, look_every, look_at_heads{});
            },
            [=, this](const caf::error&) { self_->delayed_send(self_, look_every, look_at_heads{}); });
  }

 private:
  watched_session::listener* find(
      const persistence::session_key& key, const std::shared_ptr<stream_reader>& reader) {
    const auto session = sessions_.find(key);
    return session == sessions_.end() ? nullptr : session->second.find(reader);
  }

  void fall_behind(const persistence::session_key& key, watched_session::listener& one) {
    one.live = false;
    one.reader->forget_early();
    ask_when_hungry(key, one.reader);
  }

  // The reader may outlive the hub and be read on any thread: it only holds an address.
  void ask_when_hungry(const persistence::session_key& key, const std::shared_ptr<stream_reader>& reader) {
    const auto hub = caf::actor_cast<caf::actor_addr>(self_);
    const std::weak_ptr<stream_reader> who = reader;
    reader->when_hungry([hub, key, who] {
      const auto actor = caf::actor_cast<caf::actor>(hub);
      if (const auto hungry = who.lock(); hungry && actor)
        caf::anon_send(actor, go_on_reading{key, hungry});
    });
  }

  void got(const persistence::session_key& key, const std::shared_ptr<stream_reader>& reader,
      const result<stream_page>& page) {
    auto* const one = find(key, reader);
    if (!one)
      return;
    if (!page && page.error().code == problem_code::unavailable)
      return again_later(key, reader);
    one->reading = false;
    if (!page)
      return reader->close();
    reader->offer_page(page->events);
    auto& watched = sessions_[key];
    if (page->last && reader->next_seq() > watched.head) {
      watched.head = reader->next_seq() - 1;
      watched.go_live(*one);
    } else {
      ask_when_hungry(key, reader);
    }
    tell_settled();
  }

  void tell_settled() {
    if (settling_.empty())
      return;
    for (const auto& [key, watched] : sessions_)
      for (const auto& one : watched.listeners)
        if (!one.live && !one.reader->ended())
          return;
    for (auto& promise : std::exchange(settling_, {}))
      promise.deliver(done{});
  }

  // Trouble with the database ends no stream: the past is asked for again.
  void again_later(const persistence::session_key& key, const std::shared_ptr<stream_reader>& reader) {
    if (auto* const one = find(key, reader))
      one->reading = false;
    self_->delayed_send(self_, look_every, go_on_reading{key, reader});
  }

  void compare(const std::vector<persistence::session_key>& asked,
      const std::map<persistence::session_key, std::int64_t>& heads) {
    for (const auto& key : asked) {
      const auto session = sessions_.find(key);
      if (session == sessions_.end())
        continue;
      const auto head = heads.find(key);
      auto& watched = session->second;
      for (auto& one : watched.listeners)
        if (head == heads.end())
          one.reader->close();                                       // erased
        else if (one.live && head->second >= one.reader->next_seq()) // by its own place, not by another one's
          fall_behind(key, one);
      if (head != heads.end())
        watched.head = std::max(watched.head, head->second);
    }
  }

  caf::event_based_actor* self_;
  caf::actor archive_;
  std::shared_ptr<const session_directory> owned_;
  std::map<persistence::session_key, watched_session> sessions_;
  std::vector<caf::typed_response_promise<done>> settling_;
  bool looking_ = false;
  int looks_ = 0;
};

} // namespace

caf::behavior stream_hub(
    caf::event_based_actor* self, caf::actor archive, std::shared_ptr<const session_directory> owned) {
  auto shell = std::make_shared<hub_shell>(self, std::move(archive), std::move(owned));
  return {
      [=](const subscribe& what) { shell->subscribe(what); },
      [=](const unsubscribe& what) { shell->unsubscribe(what); },
      [=](const publish_events& what) { shell->publish(what); },
      [=](const publish_live& what) { shell->publish(what); },
      [=](const go_on_reading& what) { shell->read_on(what.session, what.reader); },
      [=](const look_at_heads&) { shell->look(); },
      [=](const settle_readers&) { return shell->settle(); },
  };
}

} // namespace troupe::actors
