// The decisions: a state and a command to the events that follow, or a refusal.
//
// Pure: time, ids and look-ups come in with the command. A command that changes nothing gives no
// events and succeeds; an answer that belongs to no open attempt is such a command.
#pragma once

#include "session/inputs.hpp"

namespace troupe::session {

using decision = result<std::vector<event>>;

decision decide(const state& now, const create_session& command, const inputs& in);
decision decide(const state& now, const accept_message& command, const inputs& in);
decision decide(const state& now, const withdraw& command, const inputs& in);
decision decide(const state& now, const take_up& command, const inputs& in);
decision decide(const state& now, const start& command, const inputs& in);
decision decide(const state& now, const continue_run& command, const inputs& in);
decision decide(const state& now, const block_finished& command, const inputs& in);
decision decide(const state& now, const inference_answer& command, const inputs& in);
decision decide(const state& now, const begin_tools& command, const inputs& in);
decision decide(const state& now, const tool_answer& command, const inputs& in);
decision decide(const state& now, const decide_permission& command, const inputs& in);
decision decide(const state& now, const give_verdict& command, const inputs& in);
decision decide(const state& now, const abort_run& command, const inputs& in);
decision decide(const state& now, const settle_abort& command, const inputs& in);
decision decide(const state& now, const recover& command, const inputs& in);
decision decide(const state& now, const update_session& command, const inputs& in);
decision decide(const state& now, const client_result& command, const inputs& in);
decision decide(const state& now, const expire& command, const inputs& in);
decision decide(const state& now, const close_session& command, const inputs& in);
decision decide(const state& now, const reset_context& command, const inputs& in);
decision decide(const state& now, const compact& command, const inputs& in);
decision decide(const state& now, const compaction_answer& command, const inputs& in);
decision decide(const state& now, const fork_session& command, const inputs& in);
decision decide(const state& now, const trim& command, const inputs& in);

/// The options with changes laid over them, as JSON says them. Errors: `invalid_input` for changes that
/// aren't options, or are of those that only messages carry. From outside an unknown option is an error, and
/// so is a reference to stored content.
result<options> changed(const options& before, const json::raw& changes, bool from_outside = true);

/// What accepting a message depends on: a queue knows it without the rest of the state.
struct queue_view {
  std::string session;
  bool closed = false;
  std::size_t waiting = 0;
};
/// Why the message can't be accepted, or nothing.
std::optional<problem> refusal(const queue_view& queue, const accept_message& command, const look_ups& known);
/// The event that accepts it; that its id is new is the journal's to say.
message_queued accepted(const accept_message& command);

/// Of whichever command. A session that doesn't exist takes only `create_session`.
decision decide(const state& now, const command& given, const inputs& in);

} // namespace troupe::session
