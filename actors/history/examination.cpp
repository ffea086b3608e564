// A log that is what the machine decides is folded to its head, where row and open calls are looked at.
#include "actors/history/examination.hpp"

#include "actors/append_of.hpp"
#include "actors/fleet/session_loading.hpp"
#include "actors/history/log_folding.hpp"
#include "actors/history/verification.hpp"
#include "messages/text.hpp"
#include "persistence/this_process.hpp"
#include "session/decide.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

constexpr std::int64_t repair_lease_ms = 60'000;
constexpr std::size_t shown_bytes_max = 200;

std::string shortened(const std::string& text) {
  return text.size() <= shown_bytes_max ? text : std::string(utf8_prefix(text, shown_bytes_max)) + "…";
}

class drawn_ids final : public id_source {
 public:
  std::string next() override { return persistence::new_uuid(); }
};

void look_at_row(
    const persistence::session_row& row, const session::state& now, std::vector<session_finding>& findings) {
  const auto view = view_of(now);
  if (row.view.status != view.status)
    findings.push_back({"row", now.head,
        "its row says that it is " + row.view.status + ", its log that it is " + view.status
            + "; its next event puts that right"});
  if (view.needs_work && !row.view.needs_work)
    findings.push_back({"row", now.head,
        "it has work to go on with, and its row says nothing of it: no node takes it by itself; "
        "`troupe run --session "
            + row.id + "` does"});
  if (row.view.needs_work && !view.needs_work)
    findings.push_back({"row", now.head,
        "its row says that it has work to go on with, and its log has none; whoever takes it puts that "
        "right"});
}

// What waits for a person or a client is open by right.
void look_at_open(const session::state& now, std::vector<session_finding>& findings) {
  if (now.compaction && !now.run)
    findings.push_back({"cut_off", now.head, "a compaction is open, and no node has it", true});
  if (!now.run || session::status(now) != "running")
    return;
  using session::call_phase;
  for (const auto& call : now.calls)
    if (!call.settled && (call.phase == call_phase::requested || call.phase == call_phase::running))
      findings.push_back({"unpaired", now.head,
          "the call of `" + call.name + "` (" + call.execution_id + ") has no receipt, and no node has it",
          true});
  findings.push_back({"cut_off", now.head,
      "the run " + now.run->id + " is open, and no node has it: whoever takes the session goes on with it",
      true});
}

// As an abort, but that nobody knows what became of the calls that ran.
std::vector<command> ending(const session::state& now) {
  if (!now.run)
    return {abort_run{"doctor"}}; // of a compaction, if that is open
  std::vector<command> commands{abort_run{"doctor"}};
  for (const auto& call : now.calls)
    if (call.phase == session::call_phase::running && !call.client) {
      tool_answer unknown{call.execution_id, call.attempt, tool_outcome::unknown,
          content("The tool call was interrupted and was not retried."), true, std::nullopt, std::nullopt,
          false, std::nullopt};
      commands.emplace_back(std::move(unknown));
    }
  commands.emplace_back(settle_abort{now.run->id});
  return commands;
}

} // namespace

result<session_examination> examine_session(persistence::journal& journal,
    const persistence::session_row& row, bool is_owned, const std::function<bool(std::int64_t)>& progress) {
  const auto found = verify_log(journal, row, 0, progress);
  if (!found)
    return found.error();
  session_examination out;
  out.events = found->events;
  if (const auto& other = found->first_difference) {
    out.findings.push_back({std::string(session::name_of(other->kind)), other->seq,
        "expected " + shortened(other->expected) + ", found " + shortened(other->found)});
    return out;
  }
  const auto here = journal.find(row.key.tenant, row.id);
  if (!here)
    return here.error();
  if (is_owned || here->epoch != row.epoch || here->head != found->begins_after + found->events)
    return out; // somebody works on it
  const auto folded = fold_to(journal, *here, here->head);
  if (!folded)
    return folded.error();
  look_at_row(*here, *folded->state, out.findings);
  look_at_open(*folded->state, out.findings);
  return out;
}

result<void> close_what_is_open(persistence::journal& journal, std::int32_t tenant, const std::string& id,
    const persistence::node_identity& node) {
  const auto at = journal.heartbeat(node, repair_lease_ms);
  if (!at)
    return at.error();
  auto taken = journal.take(tenant, id, node);
  if (!taken)
    return taken.error();
  const auto row = taken->row;
  auto state = load_state(journal, *taken);
  result<void> done;
  if (!state) {
    done = state.error();
  } else {
    drawn_ids ids;
    const session::look_ups known;
    for (const command& what : ending(**state)) {
      const auto decided = session::decide(**state, what, {std::max((*state)->at, *at), ids, known});
      if (!decided) {
        done = decided.error();
      } else if (!decided->empty()) {
        const auto stored =
            commit_decided(journal, row, **state, kind_of(what), *decided, persistence::new_uuid());
        if (!stored)
          done = stored.error();
      }
      if (!done)
        break;
    }
  }
  journal.release(row.key, row.epoch);
  return done;
}

} // namespace troupe::actors
