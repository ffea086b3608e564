// The steps that several commands end with: what follows an answer, a batch, an abort.
#pragma once

#include "session/draft.hpp"

namespace troupe::session {

// -- taking up work (take_up.cpp) ------------------------------------------------------------------

/// Consumes from one queue by its mode, with the change of settings that the messages carry. Where the run's
/// `output_limit` has no room for them and an answer, they stay and the run ends.
void consume(draft& d, delivery queue);
/// Steering first, else sends; false if nothing waits.
bool consume_next(draft& d);
/// Starts an inference, after a compaction if one is due: then its end goes on with the inference. Nothing
/// where the run has come to its end.
void infer(draft& d);
/// Starts an inference on the context as it is.
void start_inference(draft& d);
/// A run of its own with what is queued.
void run_with_queue(draft& d, run_cause cause);
/// How many messages of a queue fit into the run's `output_limit` with an answer behind them; one at least.
std::size_t output_room(const state& now);
/// Ends the run if `more_messages`, which have `more_bytes` so far, don't fit into its `output_limit`: true
/// then (output_limit.cpp).
bool ends_at_output_limit(draft& d, std::size_t more_messages, std::int64_t more_bytes = 0);
/// True if the run has had all the inferences it may have.
bool at_limit(const state& now);
void end_at_limit(draft& d, turn_outcome turn = turn_outcome::completed);
/// Begins a run with its first turn.
void begin_run(draft& d, run_cause cause);
/// Ends the turn and the run.
void end_run(draft& d, turn_outcome turn, run_outcome run);
/// After an answer that needs no tools: what is queued is answered in the same turn, else `outcome`.
void proceed(draft& d, run_outcome outcome);

// -- answers (answers.cpp) -------------------------------------------------------------------------

/// What an answer that isn't plainly completed means: the failure that it is recorded with.
std::optional<failure> judge(const inference_finished& finish, std::size_t calls);
/// Gives every call of the inference that has none a result with this text.
void close_calls(draft& d, const std::string& text);
/// A turn that failed: what is queued is answered without a notice, else the notice and the end.
void fail_turn(draft& d, const failure& error);

// -- compaction (compaction.cpp) -------------------------------------------------------------------

/// What a compaction came to.
enum class room { nothing_to_leave_out, made, in_the_making };
/// Makes the context smaller by the session's strategy: at once, or by a compaction that begins here.
room make_room(draft& d, const std::string& reason);
/// Makes room if somebody waits for it, or the context is above its threshold. True: the inference waits.
bool room_comes_first(draft& d);
/// What waited for the compaction that ended; `failed` tells why it left everything as it was.
void go_on_after(draft& d, const compaction_started& ended, const std::optional<failure>& failed);
/// Why a compaction ended that an abort stopped.
failure cancelled_compaction();
/// The open compaction is carried no further.
void give_up_compaction(draft& d, failure why);

// -- batches (batches.cpp) -------------------------------------------------------------------------

/// Requests the calls of the finished inference, with all that needs nobody.
void request_tools(draft& d, const std::vector<call_check>& checks);
/// The text of a denied call's result.
std::string denial(const std::optional<std::string>& reason);
/// A receipt for what is never started.
void refuse_call(draft& d, const call_state& call, std::string text, std::optional<error_kind> kind);
/// Adds each result whose turn it is; when the batch is whole, goes on.
void settle_batch(draft& d);
/// The calls that may start now, in call order.
std::vector<std::string> may_start(const state& now, const std::map<std::string, tool_fact>& facts);
/// Starts the next attempt at a call.
void start_call(draft& d, const std::string& execution_id);
/// Judges what the log says is running though it runs nowhere: closed, or begun again (recover.cpp).
void recover_open_work(draft& d, const std::string& reason);
/// Ends an aborted run, whatever is open in it.
void close_aborted_run(draft& d, const usage& used);

} // namespace troupe::session
