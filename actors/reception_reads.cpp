// Reading: from the agent where the session is in the memory, else from the log.
#include "actors/fleet/session_loading.hpp"
#include "actors/reception.hpp"

#include "messages/event_codec.hpp"
#include "messages/json_mapping.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

/// What says which options hold now.
const std::vector<std::string> option_events = {
    "session.created", "session.forked", "session.updated", "settings.changed", "context.trimmed"};
constexpr std::size_t option_events_max = 10'000;

/// The run that is open somewhere else: it stands on its events, which are among the last ones.
result<std::string> run_of(persistence::journal& journal, const persistence::session_row& row) {
  constexpr std::int64_t looked_at = 100;
  const auto last = journal.read(row.key, std::max<std::int64_t>(row.head - looked_at, 0), looked_at);
  if (!last)
    return last.error();
  const auto found =
      std::find_if(last->rbegin(), last->rend(), [](const recorded_event& event) { return event.run_id; });
  return found == last->rend() ? std::string() : *found->run_id;
}

result<session_report> report_from(persistence::journal& journal, persistence::session_row row) {
  if (!row.begun())
    return problem{problem_code::not_found, "there is no session `" + row.id + "`", {}};
  const auto log = journal.read(row.key, 0, option_events_max, option_events);
  if (!log)
    return log.error();
  auto state = load_state(journal, row.key.tenant, *log);
  if (!state)
    return state.error();
  if (!(*state)->exists())
    return problem{problem_code::not_found, "there is no session `" + row.id + "`", {}};
  session_report report{std::move(row), std::move(*state), {}};
  if (report.row.view.status == "running" || report.row.view.status == "waiting") {
    const auto run = run_of(journal, report.row);
    if (!run)
      return run.error();
    report.run_id = *run;
  }
  return report;
}

/// The given options against those that the session was made with; what wasn't given may be whatever.
bool same_options(options wanted, const options& made) {
  if (!wanted.provider)
    wanted.provider = made.provider;
  if (!wanted.model)
    wanted.model = made.model;
  return to_json(wanted) == to_json(made);
}

} // namespace

void reception::row(const std::string& id, then<persistence::session_row> answer) {
  node_.read([this, id, answer](persistence::journal& journal) { answer(journal.find(node_.tenant(), id)); });
}

void reception::create(options wanted, then<created_session> answer) {
  if (wanted.id.empty())
    wanted.id = node_.new_id();
  const auto fresh = [this, answer](options complete, auto on_conflict) {
    node_.open(complete, opening::create, true,
        [this, answer, complete, on_conflict](const result<session_handle>& made) {
          if (!made && made.error().code == problem_code::conflict)
            return on_conflict();
          if (!made)
            return answer(made.error());
          auto session = *made;
          session.look(std::chrono::minutes(1),
              [this, session, answer](const result<std::shared_ptr<const session::state>>& state) {
                if (state)
                  return answer(created_session{report_of(session, *state), true});
                find(session.id(), [answer](const result<session_report>& report) { // it has left already
                  report ? answer(created_session{*report, true}) : answer(report.error());
                });
              });
        });
  };
  const auto compare = [this, wanted, answer] { compare_with_made(wanted, answer, 3); };
  node_.read([this, wanted, answer, fresh, compare](persistence::journal& journal) {
    const auto there = journal.find(node_.tenant(), wanted.id);
    if (there && there->begun())
      return compare();
    if (!there && there.error().code != problem_code::not_found)
      return answer(there.error());
    const auto complete = node_.completed(wanted);
    if (!complete)
      return answer(complete.error());
    fresh(*complete, compare);
  });
}

void reception::fork(const std::string& from, std::int64_t at, std::string id, json::raw changes,
    then<session_report> answer) {
  if (id.empty())
    id = node_.new_id();
  node_.fork(from, at, id, std::move(changes),
      [this, id, answer](const result<bool>& made) { made ? find(id, answer) : answer(made.error()); });
}

// One that is just being made is waited for: whoever opens it hears of it when it has begun.
void reception::compare_with_made(options wanted, then<created_session> answer, int tries) {
  node_.read([this, wanted, answer, tries](persistence::journal& journal) {
    auto row = journal.find(node_.tenant(), wanted.id);
    const auto first = row ? journal.read(row->key, 0, 1) : row.error();
    if (!first)
      return answer(first.error());
    if (first->empty() && tries > 0) {
      options existing;
      existing.id = wanted.id;
      return node_.open(std::move(existing), opening::find, true,
          [this, wanted, answer, tries](
              const result<session_handle>&) { compare_with_made(wanted, answer, tries - 1); });
    }
    if (first->empty())
      return answer(problem{problem_code::unavailable, "the session is being made; try again", {}});
    const auto state = load_state(journal, node_.tenant(), *first);
    if (!state)
      return answer(state.error());
    if (!(*state)->made_with || !same_options(wanted, *(*state)->made_with))
      return answer(
          problem{problem_code::conflict, "the session `" + wanted.id + "` exists with other options", {}});
    find(wanted.id, [answer](const result<session_report>& found) {
      found ? answer(created_session{*found, false}) : answer(found.error());
    });
  });
}

void reception::find(const std::string& id, then<session_report> answer) {
  const auto from_log = [this, id, answer] {
    node_.read([this, id, answer](persistence::journal& journal) {
      auto row = journal.find(node_.tenant(), id);
      answer(row ? report_from(journal, *std::move(row)) : row.error());
    });
  };
  auto here = node_.here(id);
  if (!here)
    return from_log();
  here->look(std::chrono::seconds(5),
      [this, session = *here, answer, from_log](const result<std::shared_ptr<const session::state>>& state) {
        // an agent that waits for the database, or has just left: the log has what there is
        state ? answer(report_of(session, *state)) : from_log();
      });
}

void reception::waiting(std::size_t limit, const std::optional<persistence::page_mark>& page,
    then<std::vector<persistence::session_row>> answer) {
  node_.read([this, limit, page, answer](persistence::journal& journal) {
    answer(journal.list(node_.tenant(), "attention", limit, page));
  });
}

void reception::list(const std::string& status, std::size_t limit,
    const std::optional<persistence::page_mark>& page, then<std::vector<session_report>> answer) {
  node_.read([this, status, limit, page, answer](persistence::journal& journal) {
    auto rows = journal.list(node_.tenant(), status, limit, page);
    if (!rows)
      return answer(rows.error());
    std::vector<session_report> out;
    for (auto& row : *rows) {
      auto report = report_from(journal, row);
      if (!report && report.error().code == problem_code::not_found)
        report = session_report{row, nullptr, {}}; // made, and not begun: it is counted, not told of
      if (!report)
        return answer(report.error());
      out.push_back(*std::move(report));
    }
    answer(std::move(out));
  });
}

} // namespace troupe::actors
