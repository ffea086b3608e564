// Runs: begun, gone on with, stopped, waited for.
#include "gateway/routes/api.hpp"
#include "gateway/session_document.hpp"

namespace troupe::gateway {

namespace {

using state = std::shared_ptr<const session::state>;

response status_answer(const state& now, int status) {
  return json_answer(
      json::writer().begin_object().field("status", session::status(*now)).end_object().take(), status);
}

void wait(const api& with, const std::shared_ptr<exchange>& one, const matched& found) {
  with.held->add(one);
  with.sessions->wait(found.at("id"), *found.text("for") == "attention",
      std::chrono::milliseconds(*found.integer("timeout_ms")),
      answering_with<std::optional<actors::session_report>>(one, [tenant = found.by.tenant](const auto& so) {
        return so ? json_answer(session_document(*so, tenant)) : no_content();
      }));
}

} // namespace

void add_run_routes(router& to, const api& with) {
  to.add({.method = "POST",
      .path = "/v1/sessions/{id}/start",
      .summary = "Goes on with what was cut off",
      .answers = {{202, "`{status}`"}},
      .carry_out = [with](const auto& one, const auto& found) {
        with.sessions->order(found.at("id"), start{},
            answering_with<state>(one, [](const auto& now) { return status_answer(now, 202); }));
      }});
  to.add({.method = "POST",
      .path = "/v1/sessions/{id}/continue",
      .summary = "Takes what is queued, else runs inference on the context as it is",
      .answers = {{202, "`{status}`"}, {409, "There is nothing to go on with"}},
      .carry_out = [with](const auto& one, const auto& found) {
        with.sessions->order(found.at("id"), continue_run{},
            answering_with<state>(one, [](const auto& now) { return status_answer(now, 202); }));
      }});
  to.add({.method = "POST",
      .path = "/v1/sessions/{id}/abort",
      .summary = "Stops the run",
      .answers = {{200, "`{status}`: the run has stopped"}},
      .carry_out = [with](const auto& one, const auto& found) {
        with.sessions->abort(found.at("id"), "user",
            answering_with<state>(one, [](const auto& now) { return status_answer(now, 200); }));
      }});
  to.add({.method = "GET",
      .path = "/v1/sessions/{id}/wait",
      .summary = "Waits for the session",
      .parameters = {choice_parameter("for", "`attention`: also when it waits for somebody",
                         {"idle", "attention"}, "idle"),
          integer_parameter("timeout_ms", "How long", 0, with.limits.wait_ms_max, with.limits.wait_ms)},
      .answers = {{200, "The session, when it is so"}, {204, "The time is up"},
          {503, "The server leaves: ask again, and wait on there"}},
      .carry_out = [with](const auto& one, const auto& found) { wait(with, one, found); }});
  to.add({.method = "POST",
      .path = "/v1/sessions/{id}/compact",
      .summary = "Makes the context smaller",
      .description =
          "By the session's `compaction`, else by a summary. Answered when it is done: while a run "
          "goes on, before its next inference or when it is over. Who asks meanwhile shares it.",
      .answers = {{200, "`{compacted, seq?}`: `compacted` is false where there was nothing to leave out"},
          {409, "It failed, or the run waits for somebody; nothing was changed"},
          {503, "The server leaves: ask again"}},
      .carry_out = [with](const auto& one, const auto& found) {
        with.held->add(one);
        with.sessions->compact(
            found.at("id"), answering_with<actors::compaction_report>(one, [](const auto& report) {
              json::writer out;
              out.begin_object().key("compacted").boolean(report.seq > 0);
              if (report.seq > 0)
                out.key("seq").number(report.seq);
              return json_answer(out.end_object().take());
            }));
      }});
  to.add({.method = "POST",
      .path = "/v1/sessions/{id}/reset",
      .summary = "Empties the context",
      .description = "What runs is aborted first. The log keeps everything, and what is queued stays queued.",
      .answers = {{200, "`{seq}`: the event that emptied it"}, {409, "The session is closed"}},
      .carry_out = [with](const auto& one, const auto& found) {
        with.sessions->reset(found.at("id"), answering_with<std::int64_t>(one, [](std::int64_t seq) {
          json::writer out;
          out.begin_object().key("seq").number(seq).end_object();
          return json_answer(out.take());
        }));
      }});
  to.add({.method = "POST",
      .path = "/v1/sessions/{id}/close",
      .summary = "Closes the session",
      .description =
          "What runs is aborted; answered when it is closed. It can be read, and takes no more work.",
      .answers = {{200, "`{status}`: `closed`"}},
      .carry_out = [with](const auto& one, const auto& found) {
        with.sessions->close(found.at("id"),
            answering_with<state>(one, [](const auto& now) { return status_answer(now, 200); }));
      }});
}

} // namespace troupe::gateway
