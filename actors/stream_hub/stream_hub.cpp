// Readers by session. A reader puts events in order and drops doubles, so that what is published
// while its past is being read is neither lost nor shown twice.
#include "actors/stream_hub/stream_hub.hpp"

#include "actors/stream_hub/stream_reader.hpp"

#include <caf/event_based_actor.hpp>

namespace troupe::actors {

namespace {

using readers = std::multimap<persistence::session_key, std::shared_ptr<stream_reader>>;

void catch_up(caf::event_based_actor* self, const caf::actor& archive, const subscribe& what) {
  const auto reader = what.reader;
  self->request(archive, std::chrono::seconds(60), read_events{what.session, reader->next_seq() - 1, 0})
      .then(
          [reader](
              const read_answer& answer) { answer.events ? reader->offer(*answer.events) : reader->close(); },
          [reader](const caf::error&) { reader->close(); });
}

} // namespace

caf::behavior stream_hub(caf::event_based_actor* self, caf::actor archive) {
  auto all = std::make_shared<readers>();
  return {
      [=](const subscribe& what) {
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
