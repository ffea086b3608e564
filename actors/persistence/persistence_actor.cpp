// Group commit by the mailbox: the first append of a batch sends a flush behind whatever is queued
// already, so that a lone append waits for nothing and a crowd shares one commit.
#include "actors/persistence/persistence_actor.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/response_promise.hpp>

namespace troupe::actors {

namespace {

struct waiting_append {
  std::shared_ptr<const persistence::append> what;
  caf::typed_response_promise<append_answer> promise;
};

void flush(persistence::journal& journal, std::vector<waiting_append> batch) {
  std::vector<persistence::append> appends;
  appends.reserve(batch.size());
  for (const auto& waiting : batch)
    appends.push_back(*waiting.what);
  auto outcomes = journal.append_all(appends);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    append_answer answer;
    if (outcomes)
      answer.outcome = std::move((*outcomes)[i]);
    else
      answer.outcome = outcomes.error();
    batch[i].promise.deliver(std::move(answer));
  }
}

} // namespace

caf::behavior persistence_actor(caf::event_based_actor* self, std::shared_ptr<persistence::journal> journal) {
  auto batch = std::make_shared<std::vector<waiting_append>>();
  return {
      [=](const append_order& order) {
        auto promise = self->make_response_promise<append_answer>();
        if (batch->empty())
          self->send(self, flush_appends{});
        batch->push_back({order.what, promise});
        return promise;
      },
      [=](const flush_appends&) { flush(*journal, std::exchange(*batch, {})); },
  };
}

namespace {

// Pages, so that a long log isn't one statement.
result<std::vector<recorded_event>> read_all(persistence::journal& journal, const read_events& what) {
  static constexpr std::size_t page = 5000;
  std::vector<recorded_event> all;
  std::int64_t after = what.after;
  const auto wanted = static_cast<std::size_t>(what.limit);
  while (true) {
    auto events = journal.read(what.session, after, wanted == 0 ? page : std::min(page, wanted - all.size()));
    if (!events)
      return events.error();
    const bool last = events->size() < page;
    std::move(events->begin(), events->end(), std::back_inserter(all));
    if (last || (wanted > 0 && all.size() >= wanted))
      return all;
    after = all.back().seq;
  }
}

} // namespace

caf::behavior archive_actor(caf::event_based_actor* self, std::shared_ptr<persistence::journal> journal) {
  return {
      [=](const read_events& what) { return read_answer{read_all(*journal, what)}; },
      [=](const read_blobs& what) { return blobs_answer{journal->blobs(what.tenant, what.names)}; },
      [=](const read_stream_page& what) {
        return stream_page_answer{
            read_page(*journal, what.session, what.after, static_cast<std::size_t>(what.limit))};
      },
      [=](const read_heads& what) { return heads_answer{journal->heads(what.sessions)}; },
      [=](const archive_errand& what) { what.what(*journal); },
      [=](const shut_down&) { self->quit(); },
  };
}

} // namespace troupe::actors
