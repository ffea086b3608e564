// `troupe show`: the transcript of a session, now or as of an event.
#include "actors/inference/blob_filling.hpp"
#include "cli/commands.hpp"
#include "cli/exit_status.hpp"
#include "cli/transcript.hpp"
#include "messages/event_codec.hpp"
#include "persistence/log_check.hpp"
#include "session/project.hpp"

namespace troupe::cli {

namespace {

struct show_flags {
  std::string session;
  std::int64_t at = 0;
};

// The log up to `at` (0: all of it). It is checked whole: what was altered isn't shown as if it were good.
result<std::vector<event>> read_log(
    persistence::journal& journal, const persistence::session_row& row, std::int64_t at) {
  if (at < 0 || at > row.head)
    return problem{problem_code::invalid_input,
        "the session `" + row.id + "` has events 1 to " + std::to_string(row.head) + ", not "
            + std::to_string(at),
        {}};
  const std::int64_t last = row.head;
  std::vector<recorded_event> log;
  while (static_cast<std::int64_t>(log.size()) < last) {
    const auto after = static_cast<std::int64_t>(log.size());
    const auto page =
        journal.read(row.key, after, static_cast<std::size_t>(std::min<std::int64_t>(last - after, 1000)));
    if (!page)
      return page.error();
    if (page->empty())
      return problem{problem_code::corrupt,
          "the log of `" + row.id + "` ends at event " + std::to_string(after) + " of "
              + std::to_string(last),
          {}};
    log.insert(log.end(), page->begin(), page->end());
  }
  const auto chain = journal.chain(row.key);
  if (!chain)
    return chain.error();
  if (const auto whole = persistence::check_log(row.id, {}, log, {row.head, *chain}); !whole)
    return whole.error();
  std::vector<event> out;
  for (const auto& stored : log) {
    if (at != 0 && stored.seq > at)
      break;
    auto happened = decode(stored);
    if (!happened)
      return happened.error();
    out.push_back(std::move(*happened));
  }
  return out;
}

result<std::vector<message>> context_of(
    persistence::journal& journal, std::int32_t tenant, const std::vector<event>& log) {
  auto context = session::project(log);
  const auto missing = actors::missing_blobs(context);
  if (missing.empty())
    return context;
  const auto contents = journal.blobs(tenant, missing);
  if (!contents)
    return contents.error();
  actors::fill_blobs(context, *contents);
  return context;
}

int show(const common_flags& common, const show_flags& flags) {
  const auto kept = open_archive(common, "default");
  if (!kept)
    return complain(kept.error());
  const auto row = find_session(*kept, flags.session);
  if (!row)
    return complain(row.error());
  const auto log = read_log(*kept->journal, *row, flags.at);
  if (!log)
    return complain(log.error());
  const auto context = context_of(*kept->journal, kept->tenant, *log);
  if (!context)
    return complain(context.error());
  if (common.json)
    std::cout << "{\"seq\":" << log->size() << ",\"messages\":" << session::to_json(session::project(*log))
              << "}\n";
  else
    print_transcript(std::cout, *context);
  return done;
}

} // namespace

void add_show(CLI::App& app, const common_flags& common, int& status) {
  auto flags = std::make_shared<show_flags>();
  auto* const command = app.add_subcommand("show", "The transcript of a session, now or as of an event");
  command->add_option("session", flags->session, "The session's id")->required();
  command->add_option("--at", flags->at, "As of this event");
  command->footer("Examples:\n  troupe show demo\n  troupe show demo --at 12\n  troupe show demo --json");
  command->callback([&, flags] { status = show(common, *flags); });
}

} // namespace troupe::cli
