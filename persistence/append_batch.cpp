// The plan of a batch. Appends of a session are taken in order: while one of them waits for an
// answer that depends on the ones before, those after it wait too.
#include "persistence/append_batch.hpp"

#include "messages/digest.hpp"
#include "messages/event_codec.hpp"
#include "persistence/append_rules.hpp"

#include <algorithm>

namespace troupe::persistence {

namespace {

constexpr int stalls_max = 20;

bool claims_meet(const append& append, const std::vector<claim_row>& taken) {
  return std::any_of(append.claims.begin(), append.claims.end(), [&](const std::string& claim) {
    return std::any_of(taken.begin(), taken.end(), [&](const claim_row& row) { return row.claim == claim; });
  });
}

bool has_claim(const session_write& write, const std::string& claim) {
  return std::any_of(
      write.claims.begin(), write.claims.end(), [&](const claim_row& row) { return row.claim == claim; });
}

} // namespace

void stack(session_write& write, const append& append) {
  const auto append_seq = write.head + 1;
  std::string lines;
  for (const auto& draft : append.events) {
    write.last_at = std::max(write.last_at, draft.at); // never before the event before
    recorded_event event{++write.head, append_seq, append.command, draft.type, draft.version, write.last_at,
        draft.run_id, draft.payload};
    append_line(lines, event);
    lines += '\n';
    write.events.push_back({std::move(event), {}});
  }
  const auto chain = chain_after(write.chain, append_seq, append.command, lines);
  write.chain.assign(chain.begin(), chain.end());
  write.events.back().chain = write.chain;
  for (const auto& claim : append.claims)
    if (!has_claim(write, claim))
      write.claims.push_back({claim, append_seq});
  for (const auto& blob : append.blobs)
    write.blobs.push_back({blob.name, &blob.content});
  if (append.view)
    write.view = append.view;
  else if (append.wakes && write.view)
    write.view->needs_work = true;
  else if (append.wakes)
    write.wakes = true;
  write.last_append = append.append_id;
}

append_batch::append_batch(const std::vector<append>& appends, known_heads& heads)
    : appends_(appends), heads_(heads), outcomes_(appends.size()), open_(appends.size()) {
  for (std::size_t i = 0; i < appends.size(); ++i) {
    if (auto fault = fault_of(appends[i])) {
      answer(i, refused{*std::move(fault)});
      continue;
    }
    const auto [place, is_new] = by_key_.try_emplace(appends[i].session, lines_.size());
    if (is_new) {
      auto& added = lines_.emplace_back();
      added.session = appends[i].session;
      if (const auto* const head = heads_.find(added.session)) {
        added.known = true;
        added.epoch = head->epoch;
        added.head = head->seq;
        added.chain = head->chain;
        added.last_at = head->last_at;
      }
    }
    lines_[place->second].appends.push_back(i);
  }
}

std::vector<append_outcome> append_batch::take_outcomes() {
  std::vector<append_outcome> out;
  out.reserve(outcomes_.size());
  for (auto& outcome : outcomes_)
    out.push_back(std::move(outcome).value());
  return out;
}

void append_batch::answer(std::size_t append, append_outcome outcome) {
  if (outcomes_[append])
    return;
  outcomes_[append] = std::move(outcome);
  --open_;
}

void append_batch::refuse(std::size_t append, problem why) { answer(append, refused{std::move(why)}); }

std::vector<session_question> append_batch::questions() const {
  std::vector<session_question> out;
  for (const auto& line : lines_)
    if (!line.known
        && std::any_of(line.appends.begin(), line.appends.end(), [&](auto i) { return !outcomes_[i]; }))
      out.push_back({line.session, {}});
  return out;
}

void append_batch::learn(const session_key& session, const session_facts& facts) {
  auto& line = line_of(session);
  if (!facts.exists) {
    heads_.forget(session);
    for (const auto append : line.appends)
      answer(append, fenced{0});
    return;
  }
  line.known = line.fresh = true;
  line.epoch = facts.epoch;
  line.head = facts.head;
  line.chain = facts.chain;
  line.last_at = facts.last_at;
  const auto* const head = heads_.find(session);
  if (!head || head->seq != facts.head || head->epoch != facts.epoch || head->chain != facts.chain)
    heads_.put(session, {facts.epoch, facts.head, facts.chain, facts.last_at, {}, 0});
}

void append_batch::answer_behind(const session_line& line, std::size_t append) {
  const auto after = *appends_[append].expected_head;
  const auto* const head = heads_.find(line.session);
  if (head && head->seq == line.head)
    if (auto missing = head->since(after)) {
      answer(append, behind{*std::move(missing)});
      return;
    }
  gaps_.push_back({append, line.session, after});
}

void append_batch::fill(const gap& found, std::vector<recorded_event> missing) {
  answer(found.append, behind{std::move(missing)});
}

bool append_batch::fits(session_line& line, std::size_t index, const session_write& write) {
  const auto& append = appends_[index];
  if (append.epoch != line.epoch) {
    if (append.epoch > line.epoch && !line.fresh)
      line.known = false; // taken since we looked
    else if (write.appends.empty())
      answer(index, fenced{line.epoch});
    return false;
  }
  if (append.expected_head && *append.expected_head != write.head) {
    if (!write.appends.empty())
      return false; // what it missed isn't committed yet
    if (*append.expected_head < line.head && *append.expected_head >= 0)
      answer_behind(line, index);
    else if (!line.fresh)
      line.known = false;
    else
      refuse(index,
          {problem_code::invalid_input,
              "the append was decided on head " + std::to_string(*append.expected_head)
                  + ", but the log ends at " + std::to_string(line.head),
              {}});
    return false;
  }
  return !claims_meet(append, write.claims);
}

std::vector<session_write> append_batch::next(std::size_t appends_max, std::size_t bytes_max) {
  std::vector<session_write> out;
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (auto& line : lines_) {
    if (count >= std::max<std::size_t>(appends_max, 1) || (count != 0 && bytes >= bytes_max))
      break;
    if (!line.known)
      continue;
    session_write write;
    write.session = line.session;
    write.epoch = line.epoch;
    write.base = write.head = line.head;
    write.chain = line.chain;
    write.last_at = line.last_at;
    for (const auto append : line.appends) {
      if (outcomes_[append])
        continue;
      if (count >= std::max<std::size_t>(appends_max, 1) || (count != 0 && bytes >= bytes_max))
        break;
      if (!fits(line, append, write)) {
        if (outcomes_[append])
          continue;
        break;
      }
      stack(write, appends_[append]);
      write.appends.push_back(append);
      ++count;
      bytes += bytes_of(appends_[append]);
    }
    if (!write.appends.empty())
      out.push_back(std::move(write));
  }
  return out;
}

void append_batch::commit(session_write write) {
  auto& line = line_of(write.session);
  line.head = write.head;
  line.chain = write.chain;
  line.last_at = write.last_at;
  line.stalls = 0;
  std::vector<recorded_event> all;
  all.reserve(write.events.size());
  for (auto& row : write.events)
    all.push_back(std::move(row.event));
  auto* head = heads_.find(write.session);
  if (!head || head->seq != write.base || head->epoch != write.epoch)
    head = &heads_.put(write.session, {write.epoch, write.base, {}, {}, {}, 0});
  head->seq = write.head;
  head->chain = std::move(write.chain);
  head->extend(all);
  auto from = std::make_move_iterator(all.begin());
  for (const auto append : write.appends) {
    const auto to = from + static_cast<std::ptrdiff_t>(appends_[append].events.size());
    answer(append, committed{{from, to}});
    from = to;
  }
}

void append_batch::explain(session_write write, const session_facts& facts) {
  // An answer that was lost: the row still names the last append that moved it.
  if (facts.exists && facts.last_append == write.last_append && facts.head == write.head) {
    line_of(write.session).epoch = facts.epoch;
    commit(std::move(write));
    return;
  }
  learn(write.session, facts);
  if (!facts.exists || facts.epoch != write.epoch)
    return; // `next` fences them
  for (const auto append : write.appends)
    for (const auto& row : facts.taken)
      if (claims_meet(appends_[append], {row})) {
        answer(append, claim_taken{row.claim, row.seq});
        return; // the ones after it are tried again without it
      }
  if (++line_of(write.session).stalls > stalls_max)
    for (const auto append : write.appends)
      refuse(
          append, {problem_code::internal, "the database doesn't make the append and doesn't say why", {}});
}

} // namespace troupe::persistence
