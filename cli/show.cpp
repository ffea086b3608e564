// `troupe show`: the transcript of a session, now or as of an event.
#include "actors/history/log_folding.hpp"
#include "actors/inference/blob_filling.hpp"
#include "cli/commands.hpp"
#include "cli/exit_status.hpp"
#include "cli/log_pages.hpp"
#include "cli/transcript.hpp"
#include "session/project.hpp"

namespace troupe::cli {

namespace {

struct show_flags {
  std::string session;
  std::int64_t at = 0;
};

// At the head the chain is checked on the way: what was altered isn't shown as if it were good. An event
// further back is found by the snapshot before it, however long the log is.
result<actors::folded_log> log_at(const archive& kept, const persistence::session_row& row, std::int64_t at) {
  if (at < 0 || at > row.head)
    return problem{problem_code::invalid_input,
        "the session `" + row.id + "` has events 1 to " + std::to_string(row.head) + ", not "
            + std::to_string(at),
        {}};
  return at == 0 ? actors::checked_fold_to(*kept.journal, row, row.head)
                 : actors::fold_to(*kept.journal, row, at);
}

result<std::vector<message>> with_content(const archive& kept, std::vector<message> context) {
  const auto missing = actors::missing_blobs(context);
  if (missing.empty())
    return context;
  const auto contents = kept.journal->blobs(kept.tenant, missing);
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
  const auto folded = log_at(*kept, *row, flags.at);
  tell_what_was_removed(*kept, *row);
  if (!folded)
    return complain(folded.error());
  const auto stored = folded->state->context.messages();
  const auto context = with_content(*kept, stored);
  if (!context)
    return complain(context.error());
  if (common.json)
    std::cout << "{\"seq\":" << (flags.at > 0 ? flags.at : row->head)
              << ",\"messages\":" << session::to_json(stored) << "}\n";
  else
    print_transcript(std::cout, *context);
  return done;
}

} // namespace

void add_show(CLI::App& app, const common_flags& common, int& status) {
  auto flags = std::make_shared<show_flags>();
  auto* const command = app.add_subcommand("show", "The transcript of a session, now or as of an event");
  command->add_option("session", flags->session, "The session's id")->required();
  command->add_option("--at", flags->at, "As of this event")->check(CLI::PositiveNumber);
  command->footer("Examples:\n  troupe show demo\n  troupe show demo --at 12\n  troupe show demo --json");
  command->callback([&, flags] { status = show(common, *flags); });
}

} // namespace troupe::cli
