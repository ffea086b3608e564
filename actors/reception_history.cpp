// Reading what happened: pages of events, and the state and the context at any of them.
#include "actors/history/log_folding.hpp"
#include "actors/inference/blob_filling.hpp"
#include "actors/reception.hpp"
#include "actors/stream_hub/event_filling.hpp"
#include "messages/event_codec.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

/// A page of events ends here, however many were asked for.
constexpr std::size_t answer_bytes_about = std::size_t{16} << 20;

problem leaving() {
  return {problem_code::unavailable, "this node is leaving; ask another one, or again", {}};
}

problem beyond(std::int64_t given, std::int64_t head) {
  return {problem_code::invalid_input,
      "`" + std::to_string(given) + "` is beyond the head of the session, which is " + std::to_string(head),
      {}};
}

} // namespace

void reception::events(const std::string& id, std::int64_t after, std::size_t limit,
    const std::vector<std::string>& types, then<events_page> answer) {
  node_.read_history([this, id, after, limit, types, answer](persistence::journal& journal) {
    const auto row = journal.find(node_.tenant(), id);
    if (!row)
      return answer(row.error());
    if (after > row->head)
      return answer(beyond(after, row->head));
    auto stored = journal.read(row->key, after, limit, types);
    if (!stored)
      return answer(stored.error());
    const bool last = stored->size() < limit && !cut_page(*stored, answer_bytes_about);
    auto whole = filled(journal, row->key, *std::move(stored));
    if (!whole)
      return answer(whole.error());
    events_page page{*std::move(whole), after};
    // what was appended since the row was read is on the page already
    const std::int64_t end = page.events.empty() ? after : page.events.back().seq;
    page.next_after = last ? std::max(row->head, end) : end;
    answer(std::move(page));
  });
}

void reception::state_at(const std::string& id, std::optional<std::int64_t> at, then<state_as_of> answer) {
  const auto from_log = [this, id, at, answer] {
    node_.read_history([this, id, at, answer](persistence::journal& journal) {
      const auto row = journal.find(node_.tenant(), id);
      if (!row)
        return answer(row.error());
      if (at && *at > row->head)
        return answer(beyond(*at, row->head));
      const std::int64_t seq = at.value_or(row->head);
      auto folded = fold_to(journal, *row, seq);
      folded ? answer(state_as_of{seq, std::move(folded->state)}) : answer(folded.error());
    });
  };
  auto here = node_.here(id);
  if (at || !here)
    return from_log();
  here->look(std::chrono::seconds(5),
      [answer, from_log](const result<std::shared_ptr<const session::state>>& state) {
        state ? answer(state_as_of{(*state)->head, *state}) : from_log();
      });
}

void reception::context_at(const std::string& id, std::optional<std::int64_t> at,
    then<std::pair<std::int64_t, std::vector<message>>> answer) {
  state_at(id, at, [this, answer](const result<state_as_of>& folded) {
    if (!folded)
      return answer(folded.error());
    const auto messages = folded->state->context.messages();
    node_.read([this, answer, messages, seq = folded->seq](persistence::journal& journal) {
      auto whole = messages;
      const auto contents = journal.blobs(node_.tenant(), missing_blobs(whole));
      if (!contents)
        return answer(contents.error());
      if (const auto absent = fill_blobs(whole, *contents))
        return answer(problem{problem_code::corrupt, "the stored content " + *absent + " is missing", {}});
      show_texts(whole);
      answer(std::pair(seq, std::move(whole)));
    });
  });
}

void reception::verify(const std::string& id, then<verification> answer) {
  node_.examine([this, id, answer](persistence::journal& journal) {
    const auto row = node_.is_leaving() ? leaving() : journal.find(node_.tenant(), id);
    auto found = row ? verify_log(journal, *row, 0, [this](std::int64_t) { return !node_.is_leaving(); })
                     : result<verification>(row.error());
    if (!found && found.error().code == problem_code::cancelled)
      found = leaving();
    answer(found);
  });
}

void reception::blob(const std::string& id, const std::string& name, then<std::string> answer) {
  node_.read([this, id, name, answer](persistence::journal& journal) {
    const auto row = journal.find(node_.tenant(), id);
    answer(row ? journal.blob_of(row->key, name) : row.error());
  });
}

} // namespace troupe::actors
