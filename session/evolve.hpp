// Folds events into the state: total, never refuses, the same code live and in replay.
#pragma once

#include "session/state.hpp"

#include <span>

namespace troupe::session {

/// Folds one event that is in the log, or is about to be.
void evolve(state& now, const event& happened);

/// The state after a whole log, in order from its first event.
state fold(std::span<const event> log);

namespace detail {

/// From where on the events must be there, if nothing before `at` is in the context but what waits.
std::int64_t needed_for_what_waits(const state& now, std::int64_t at);

/// Counts the messages that joined, where the run has a limit of them.
void count_output(state& now, std::size_t context_size_before);

// One overload an event, by family; in evolve_*.cpp.
void fold_session(state& now, const session_created& it);
void fold_session(state& now, const session_forked& it);
void fold_session(state& now, const session_updated& it);
void fold_queue(state& now, const event& at, const message_queued& it);
void fold_queue(state& now, const message_withdrawn& it);
void fold_queue(state& now, const input_replaced& it);
void fold_queue(state& now, const event& at, const messages_consumed& it);
void fold_queue(state& now, const settings_changed& it);
void fold_run(state& now, const event& at, const run_started& it);
void fold_run(state& now, const run_finished& it);
void fold_run(state& now, const event& at, const inference_started& it);
void fold_run(state& now, const event& at, const assistant_block& it);
void fold_run(state& now, const event& at, const inference_finished& it);
void fold_run(state& now, const output_voided& it);
void fold_run(state& now, const event& at, const notice_added& it);
void fold_compaction(state& now, const compaction_started& it);
void fold_compaction(state& now, const event& at, const compaction_finished& it);
void fold_compaction(state& now, const compaction_failed& it);
void fold_compaction(state& now, const context_cleared& it);
void fold_tools(state& now, const tools_requested& it);
void fold_tools(state& now, const tool_decided& it);
void fold_tools(state& now, const permission_requested& it);
void fold_tools(state& now, const permission_decided& it);
void fold_tools(state& now, const tool_started& it);
void fold_tools(state& now, const tool_receipt& it);
void fold_tools(state& now, const event& at, const tool_result& it);
void fold_tools(state& now, const tool_uncertain& it);
void fold_tools(state& now, const tool_resolved& it);

} // namespace detail

} // namespace troupe::session
