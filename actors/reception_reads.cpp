// Reading: from the agent where the session is in the memory, else from the log.
#include "actors/fleet/session_loading.hpp"
#include "actors/inference/blob_filling.hpp"
#include "actors/reception.hpp"

#include "messages/event_codec.hpp"
#include "messages/json_mapping.hpp"
#include "session/evolve.hpp"

namespace troupe::actors {

namespace {

/// What says which options hold now.
const std::vector<std::string> option_events = {
    "session.created", "session.forked", "session.updated", "settings.changed"};
constexpr std::size_t option_events_max = 10'000;
constexpr std::size_t fold_page = 2000;

/// The run that is open somewhere else: its events are the last ones.
result<std::string> run_of(persistence::journal& journal, const persistence::session_row& row) {
  const auto last = journal.read_these(row.key, {row.head});
  if (!last)
    return last.error();
  return last->empty() ? std::string() : last->front().run_id.value_or("");
}

result<session_report> report_from(persistence::journal& journal, persistence::session_row row) {
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

result<state_as_of> fold_to(
    persistence::journal& journal, const persistence::session_row& row, std::int64_t at) {
  auto state = std::make_shared<session::state>();
  while (state->head < at) {
    const auto page =
        journal.read(row.key, state->head, std::min(fold_page, static_cast<std::size_t>(at - state->head)));
    if (!page)
      return page.error();
    if (page->empty())
      return problem{problem_code::corrupt,
          "the log of session `" + row.id + "` has no event " + std::to_string(state->head + 1), {}};
    for (const auto& stored : *page) {
      const auto happened = decode(stored);
      if (!happened)
        return happened.error();
      session::evolve(*state, *happened);
    }
  }
  return state_as_of{at, std::move(state)};
}

problem beyond(std::int64_t given, std::int64_t head) {
  return {problem_code::invalid_input,
      "`" + std::to_string(given) + "` is beyond the head of the session, which is " + std::to_string(head),
      {}};
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
                state ? answer(created_session{report_of(session, *state), true}) : answer(state.error());
              });
        });
  };
  const auto compare = [this, wanted, answer] {
    node_.read([this, wanted, answer](persistence::journal& journal) {
      auto row = journal.find(node_.tenant(), wanted.id);
      const auto first = row ? journal.read(row->key, 0, 1) : row.error();
      if (!first || first->empty())
        return answer(first ? problem{problem_code::unavailable, "the session is being made; try again", {}}
                            : first.error());
      const auto made = decode(first->front());
      const auto* const created = made ? std::get_if<session_created>(&made->data) : nullptr;
      if (!created || !same_options(wanted, created->options))
        return answer(
            problem{problem_code::conflict, "the session `" + wanted.id + "` exists with other options", {}});
      find(wanted.id, [answer](const result<session_report>& found) {
        found ? answer(created_session{*found, false}) : answer(found.error());
      });
    });
  };
  node_.read([this, wanted, answer, fresh, compare](persistence::journal& journal) {
    const auto there = journal.find(node_.tenant(), wanted.id);
    if (there && there->head > 0)
      return compare();
    if (!there && there.error().code != problem_code::not_found)
      return answer(there.error());
    const auto complete = node_.completed(wanted);
    if (!complete)
      return answer(complete.error());
    fresh(*complete, compare);
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

void reception::events(const std::string& id, std::int64_t after, std::size_t limit,
    const std::vector<std::string>& types, then<events_page> answer) {
  node_.read([this, id, after, limit, types, answer](persistence::journal& journal) {
    const auto row = journal.find(node_.tenant(), id);
    if (!row)
      return answer(row.error());
    if (after > row->head)
      return answer(beyond(after, row->head));
    auto stored = journal.read(row->key, after, limit, types);
    if (!stored)
      return answer(stored.error());
    const bool last = stored->size() < limit;
    auto whole = filled(journal, row->key, *std::move(stored));
    if (!whole)
      return answer(whole.error());
    events_page page{*std::move(whole), after};
    page.next_after = last ? row->head : page.events.back().seq;
    answer(std::move(page));
  });
}

void reception::state_at(const std::string& id, std::optional<std::int64_t> at, then<state_as_of> answer) {
  node_.read([this, id, at, answer](persistence::journal& journal) {
    const auto row = journal.find(node_.tenant(), id);
    if (!row)
      return answer(row.error());
    if (at && *at > row->head)
      return answer(beyond(*at, row->head));
    answer(fold_to(journal, *row, at.value_or(row->head)));
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

void reception::blob(const std::string& id, const std::string& name, then<std::string> answer) {
  node_.read([this, id, name, answer](persistence::journal& journal) {
    const auto row = journal.find(node_.tenant(), id);
    answer(row ? journal.blob_of(row->key, name) : row.error());
  });
}

} // namespace troupe::actors
