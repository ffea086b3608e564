// Orders find the session's agent; one that leaves the memory at this moment is looked for again.
#include "actors/reception.hpp"

#include "actors/append_of.hpp"
#include "actors/given_answers.hpp"
#include "session/decide.hpp"

namespace troupe::actors {

// Tried again only where the order isn't done: the agent was gone before it read it, or left while somebody
// waited for a compaction. What comes after an order that is done doesn't say `fenced`.
template <class T>
void reception::on_session(
    const std::string& id, std::function<void(session_handle, then<T>)> work, then<T> answer, int tries) {
  auto go = [this, id, work, answer, tries](const result<session_handle>& session) {
    if (!session)
      return answer(session.error());
    work(*session, [this, id, work, answer, tries](result<T> got) {
      if (!got && got.error().code == problem_code::fenced && tries > 1)
        return on_session<T>(id, work, answer, tries - 1);
      answer(std::move(got));
    });
  };
  if (auto here = node_.here(id))
    return go(*here);
  options wanted;
  wanted.id = id;
  node_.open(std::move(wanted), opening::find, true, go);
}

session_report reception::report_of(
    const session_handle& session, std::shared_ptr<const session::state> state) const {
  session_report report{session.row(), std::move(state), {}};
  if (report.state->run)
    report.run_id = report.state->run->id;
  report.row.node = node_.name();
  report.row.head = report.state->head;
  report.row.updated_at = std::max(report.row.created_at, report.state->at); // of two clocks
  report.row.view = view_of(*report.state);
  return report;
}

namespace {

/// What was ordered is done, whatever became of the session since.
template <class T> then<T> done_already(then<T> answer) {
  return [answer](result<T> got) {
    if (got)
      answer(std::move(got));
    else
      answer(problem{problem_code::unavailable,
          "it is done, but how the session stands can't be told now: " + got.error().detail, {}});
  };
}

} // namespace

// The session may leave right behind what was ordered: how it stands is asked wherever it is by then.
void reception::carry_out(const std::string& id, command what, then<std::int64_t> answer) {
  on_session<std::int64_t>(
      id, [what](session_handle session, then<std::int64_t> got) { session.order(what, std::move(got)); },
      std::move(answer));
}

void reception::update(const std::string& id, json::raw changes, then<session_report> answer) {
  carry_out(id, update_session{std::move(changes)}, [this, id, answer](const result<std::int64_t>& head) {
    head ? find(id, done_already(answer)) : answer(head.error());
  });
}

void reception::post(const std::string& id, accept_message message, then<acceptance> answer) {
  if (message.message_id.empty())
    message.message_id = node_.new_id();
  on_session<acceptance>(
      id, [message](session_handle session, then<acceptance> got) { session.post(message, std::move(got)); },
      std::move(answer));
}

void reception::order(
    const std::string& id, command what, then<std::shared_ptr<const session::state>> answer) {
  carry_out(id, std::move(what), [this, id, answer](const result<std::int64_t>& head) {
    head ? look(id, done_already(answer)) : answer(head.error());
  });
}

void reception::look(const std::string& id, then<std::shared_ptr<const session::state>> answer) {
  using state = std::shared_ptr<const session::state>;
  on_session<state>(
      id,
      [](session_handle session, then<state> got) { session.look(std::chrono::minutes(1), std::move(got)); },
      std::move(answer));
}

void reception::abort(
    const std::string& id, const std::string& by, then<std::shared_ptr<const session::state>> answer) {
  using state = std::shared_ptr<const session::state>;
  on_session<std::string>(
      id, [by](session_handle session, then<std::string> got) { session.abort(by, std::move(got)); },
      [this, id, answer](const result<std::string>& run) {
        if (!run)
          return answer(run.error());
        on_session<state>(
            id,
            [run = *run](session_handle session, then<state> got) { session.when_over(run, std::move(got)); },
            done_already(answer));
      });
}

void reception::compact(const std::string& id, then<compaction_report> answer) {
  on_session<compaction_report>(
      id, [](session_handle session, then<compaction_report> got) { session.compact(std::move(got)); },
      std::move(answer));
}

void reception::withdraw_queued(
    const std::string& id, std::optional<delivery> queue, then<std::vector<std::string>> answer) {
  using ids = std::vector<std::string>;
  on_session<ids>(
      id,
      [queue](session_handle session, then<ids> got) {
        session.order_for_events(
            withdraw{queue, "client"}, [got](const result<std::shared_ptr<const std::vector<event>>>& done) {
              if (!done)
                return got(done.error());
              ids taken_back;
              if (*done)
                for (const auto& happened : **done)
                  if (const auto* const it = std::get_if<message_withdrawn>(&happened.data))
                    taken_back = it->message_ids;
              got(std::move(taken_back));
            });
      },
      std::move(answer));
}

void reception::wait(const std::string& id, bool attention, std::chrono::milliseconds patience,
    then<std::optional<session_report>> answer) {
  using report = std::optional<session_report>;
  const auto until = node_.steady_time() + patience;
  on_session<report>(
      id,
      [this, attention, until](session_handle session, then<report> got) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - node_.steady_time());
        session.wait(attention, std::max(left, std::chrono::milliseconds(1)),
            [this, session, got](const result<std::optional<std::shared_ptr<const session::state>>>& so) {
              if (!so)
                return got(so.error());
              got(*so ? report(report_of(session, **so)) : report());
            });
      },
      std::move(answer));
}

void reception::close(const std::string& id, then<std::shared_ptr<const session::state>> answer) {
  using state = std::shared_ptr<const session::state>;
  on_session<state>(
      id,
      [](session_handle session, then<state> got) {
        session.order(close_session{}, [session, got](const result<std::int64_t>& head) mutable {
          head ? session.when_idle(got) : got(head.error());
        });
      },
      std::move(answer));
}

// A message that comes in between starts the next run: that is aborted, too.
void reception::reset(const std::string& id, then<std::int64_t> answer) {
  on_session<std::int64_t>(
      id,
      [this, id](session_handle session, const then<std::int64_t>& got) {
        session.order(reset_context{}, [this, id, got](const result<std::int64_t>& head) {
          if (head || head.error().code != problem_code::conflict)
            return got(head);
          abort(id, "reset", [this, id, got](const result<std::shared_ptr<const session::state>>& ended) {
            if (ended)
              return reset(id, got);
            got(problem{ended.error().code,
                "the run is aborted and the context isn't emptied yet; ask again: " + ended.error().detail,
                {}});
          });
        });
      },
      std::move(answer));
}

void reception::answer_call(
    const std::string& id, command what, then<std::shared_ptr<const session::state>> answer) {
  const auto given = std::make_shared<const command>(std::move(what));
  order(id, *given, [this, id, given, answer](const result<std::shared_ptr<const session::state>>& got) {
    if (got || got.error().code != problem_code::not_found)
      return answer(got);
    // its batch is over: the log knows what was answered then
    const auto unknown = got.error();
    node_.read([this, id, given, answer, unknown](persistence::journal& journal) {
      const auto row = journal.find(node_.tenant(), id);
      if (!row)
        return answer(row.error());
      if (const auto refused = compare_with_log(journal, *row, *given, unknown))
        return answer(*refused);
      look(id, answer); // nothing new: as it stands now
    });
  });
}

} // namespace troupe::actors
