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

double wal_of_growing(stage& on, std::size_t turns) {
  const database_meter database(on.database_url());
  auto session = open_sessions(on.node(), 1);
  const auto before = database.wal_bytes();
  play_turns(session, turns, [] { return prompt_of(turn_kind::growing) + " " + random_words(20); });
  return static_cast<double>(database.wal_bytes() - before);
}

void measure_growing(bench& with) {
  const int rounds = with.out.rounds();
  const double shorter = median_of(rounds, [&] { return wal_of_growing(with.on, growing_turns_max / 2); });
  const double longer = median_of(rounds, [&] { return wal_of_growing(with.on, growing_turns_max); });
  with.out.add({"wal_bytes_growing", {{"turns", std::to_string(growing_turns_max / 2)}}, shorter, "B"});
  with.out.add({"wal_bytes_growing", {{"turns", std::to_string(growing_turns_max)}}, longer, "B",
      std::min(growing_bytes_max, linear_factor * shorter)});
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
