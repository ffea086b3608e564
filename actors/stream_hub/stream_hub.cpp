// Readers by session. A reader puts events in order and drops doubles, so that what is published
// while its past is being read is neither lost nor shown twice.
#include "actors/stream_hub/stream_hub.hpp"

#include "actors/stream_hub/stream_reader.hpp"

#include <caf/event_based_actor.hpp>

#include <algorithm>

namespace troupe::actors {

namespace {

using readers = std::multimap<persistence::session_key, std::shared_ptr<stream_reader>>;

constexpr std::chrono::milliseconds again_after_failure{250};

bool listens(const readers& all, const subscribe& what) {
  const auto [first, last] = all.equal_range(what.session);
  return std::any_of(first, last, [&](const auto& entry) { return entry.second == what.reader; });
}

// Trouble with the database ends no stream: the past is asked for again.
void catch_up(caf::event_based_actor* self, const caf::actor& archive, subscribe what) {
  what.again = true;
  const auto retry = [self, what] { self->delayed_send(self, again_after_failure, what); };
  self->request(archive, std::chrono::seconds(60), read_events{what.session, what.reader->next_seq() - 1, 0})
      .then(
          [=](const read_answer& answer) {
            if (answer.events)
              what.reader->offer(*answer.events);
            else if (answer.events.error().code == problem_code::unavailable)
              retry();
            else
              what.reader->close();
          },
          [=](const caf::error&) { retry(); });
}

} // namespace

caf::behavior stream_hub(caf::event_based_actor* self, caf::actor archive) {
  auto all = std::make_shared<readers>();
  return {
      [=](const subscribe& what) {
        if (what.again != listens(*all, what))
          return;
        if (!what.again)
          all->emplace(what.session, what.reader);
        catch_up(self, archive, what);
      },
      [=](const unsubscribe& what) {
        const auto [first, last] = all->equal_range(what.session);
        for (auto it = first; it != last; ++it)
          if (it->second == what.reader) {
            all->erase(it);
            return;
          }
      },
      [=](const publish_events& what) {
        const auto [first, last] = all->equal_range(what.session);
        for (auto it = first; it != last; ++it)
          it->second->offer(*what.events);
      },
      [=](const publish_live& what) {
        const auto [first, last] = all->equal_range(what.session);
        for (auto it = first; it != last; ++it)
          it->second->offer(*what.items);
      },
  };
}

} // namespace troupe::actors
