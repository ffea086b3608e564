// Page by page, so that a log of any length takes the memory of one page.
#include "cli/log_pages.hpp"

#include "actors/stream_hub/event_filling.hpp"
#include "messages/event_codec.hpp"
#include "persistence/log_check.hpp"

#include <algorithm>
#include <iostream>

namespace troupe::cli {

namespace {

constexpr std::int64_t read_at_once = 500;

std::int64_t removed_through(const archive& kept, const persistence::session_row& row) {
  const auto first = kept.journal->read(row.key, 0, 1);
  return first && !first->empty() ? persistence::beginning_of(first->front()).seq : 0;
}

} // namespace

result<void> each_event(const archive& kept, const persistence::session_row& row, std::int64_t after,
    std::int64_t last, const std::function<bool(const recorded_event&)>& show) {
  while (after < last) {
    const auto wanted = std::min(last - after, read_at_once);
    auto page = kept.journal->read(row.key, after, static_cast<std::size_t>(wanted));
    auto whole = page ? actors::filled(*kept.journal, row.key, *std::move(page)) : page;
    if (!whole)
      return whole.error();
    while (!whole->empty() && whole->back().seq > last)
      whole->pop_back();
    if (whole->empty()) {
      if (const auto through = removed_through(kept, row); through >= last)
        return persistence::removed_by_retention(row.id, through);
      return problem{problem_code::corrupt,
          "the log of `" + row.id + "` has no event " + std::to_string(after + 1)
              + "; `troupe replay --verify " + row.id + "` says more",
          {}};
    }
    for (const auto& event : *whole)
      if (!show(event))
        return {};
    after = whole->back().seq;
  }
  return {};
}

result<void> each_decoded(const archive& kept, const persistence::session_row& row, std::int64_t after,
    std::int64_t last, const std::function<void(const event&)>& show) {
  std::optional<problem> fault;
  const auto read = each_event(kept, row, after, last, [&](const recorded_event& stored) {
    const auto happened = decode(stored);
    happened ? show(*happened) : void(fault = happened.error());
    return happened.has_value();
  });
  if (fault)
    return *fault;
  return read;
}

void tell_what_was_removed(const archive& kept, const persistence::session_row& row) {
  if (const auto through = removed_through(kept, row); through > 0)
    std::cerr << "Events 1 to " << through << " of `" << row.id
              << "` were removed (its `retention` is `context`); the conversation as it was then is kept.\n";
}

} // namespace troupe::cli
