// How a session's log grows: WAL over many turns, and its bytes against those that were said.
#include "bench/meters.hpp"
#include "bench/themes.hpp"
#include "bench/turns.hpp"

namespace troupe::bench {

namespace {

constexpr double growing_bytes_max = 600'000; ///< at 200 turns
/// What counts as linear: twice the turns, so much of the WAL at most.
constexpr double linear_factor = 2.2;
constexpr std::size_t page_turns = 30;

// Of WAL. A page's first change after a checkpoint brings the whole page along.
struct growth {
  double bytes = 0;
  double page_bytes = 0; ///< of those: whole pages
};

// A session that grows, alone in the database's log: what earlier figures left to clean up is cleaned up, and
// another session's turn takes along the pages that all share.
growth growth_over(stage& on, std::size_t turns) {
  const database_meter database(on.database_url());
  const auto say = [] { return prompt_of(turn_kind::growing) + " " + random_words(20); };
  database.query("checkpoint"); // before the vacuum, which takes along the pages that it changes
  database.query("vacuum analyze");
  auto other = open_sessions(on.node(), 1);
  play_turns(other, 1, say);
  auto session = open_sessions(on.node(), 1);
  const auto begin = database.wal_position();
  play_turns(session, turns, say);
  const auto [bytes, page_bytes] = database.wal_since(begin);
  return {static_cast<double>(bytes), static_cast<double>(page_bytes)};
}

growth measure_growth(bench& with, std::size_t turns) {
  std::vector<double> bytes, page_bytes;
  for (int round = 0; round < with.out.rounds(); ++round) {
    const auto grown = growth_over(with.on, turns);
    bytes.push_back(grown.bytes);
    page_bytes.push_back(grown.page_bytes);
  }
  return {median(bytes), median(page_bytes)};
}

void measure_growing(bench& with) {
  const auto shorter = measure_growth(with, growing_turns_max / 2);
  const auto longer = measure_growth(with, growing_turns_max);
  const auto add = [&](std::size_t turns, const growth& grown, std::optional<double> most) {
    const labels where{{"turns", std::to_string(turns)}};
    with.out.add({"wal_bytes_growing", where, grown.bytes, "B", most});
    with.out.add({"wal_bytes_growing_whole_pages", where, grown.page_bytes, "B"});
  };
  add(growing_turns_max / 2, shorter, {});
  add(growing_turns_max, longer, std::min(growing_bytes_max, linear_factor * shorter.bytes));
}

// What was said: prompts, answers, arguments and results, as the context holds them.
std::size_t content_bytes(const session::state& state) {
  std::size_t bytes = 0;
  for (const auto& message : state.context.messages()) {
    bytes += plain_text(content(message.parts)).size();
    for (const auto& block : message.blocks) {
      if (const auto* const text = std::get_if<text_block>(&block))
        bytes += text->text.text.size();
      if (const auto* const call = std::get_if<tool_call_block>(&block))
        bytes += call->arguments.value_or(json::raw()).text.size();
    }
  }
  return bytes;
}

double log_to_content_ratio(stage& on) {
  auto session = open_sessions(on.node(), 1);
  play_turns(session, page_turns, [] { return prompt_of(turn_kind::page); });
  const auto& key = session.front().row().key;
  const std::string branch =
      "tenant_id = " + std::to_string(key.tenant) + " and branch_id = " + std::to_string(key.branch);
  const auto bytes = database_meter(on.database_url())
                         .query("select (select sum(octet_length(payload)) from troupe.events where " + branch
                             + ") + (select coalesce(sum(octet_length(content)), 0) from troupe.blobs"
                               " join troupe.blob_uses using (tenant_id, hash) where "
                             + branch + ")");
  const auto state = must(session.front().look());
  return std::stod(bytes) / static_cast<double>(content_bytes(*state));
}

} // namespace

void measure_logs(bench& with) {
  if (with.out.wants("wal_bytes_growing"))
    measure_growing(with);
  if (with.out.wants("log_to_content_ratio"))
    with.out.add({"log_to_content_ratio", {},
        median_of(with.out.rounds(), [&] { return log_to_content_ratio(with.on); }), "", 1.3});
}

} // namespace troupe::bench
