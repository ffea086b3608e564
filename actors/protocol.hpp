// What the actors of a node say to each other. Named structs, shared where they are big; they stay
// within the process. A new one is added at the end of the list.
#pragma once

#include "actors/node_parts_settings.hpp"
#include "actors/stream_hub/event_filling.hpp"
#include "actors/stream_reading.hpp"
#include "messages/commands.hpp"
#include "persistence/journal.hpp"
#include "providers/provider.hpp"
#include "session/state.hpp"

#include <caf/actor.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/fwd.hpp>
#include <caf/type_id.hpp>

namespace troupe::actors {

class running_effects;
class stream_reader;

// -- to an agent -----------------------------------------------------------------------------------

/// A command. Answered with `order_answer` when its events are committed.
struct order {
  std::shared_ptr<const command> what;
  bool holds_effects = false; ///< they are held back until it is answered
};
struct order_answer {
  std::optional<problem> refused;
  std::int64_t head = 0;
  std::shared_ptr<const std::vector<event>> happened; ///< null: it changed nothing
};
/// A message that was committed by a queue.
struct message_arrived {
  std::shared_ptr<const event> what;
};
/// Answered with `session_look` when the session is so, having seen `after_seq`.
struct wait_until {
  bool attention = false; ///< also when something waits for a person or a client
  std::int64_t after_seq = 0;
  std::string ended_run; ///< with one: only that it is over, whatever comes next
  /// Nobody waits for the answer any more from then on.
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
};
/// Answered with `session_look` at once.
struct look {};
struct session_look {
  std::shared_ptr<const session::state> state;
};
/// The agent's queues, with which its life begins.
struct attach_queues {
  caf::actor steer;
  caf::actor sends;
};
/// What still runs is stopped, nothing is decided any more.
struct let_go {};
// `passivate_idle`, to itself: if it has rested for long enough it ends.
/// The time has come that the session's state names.
struct deadline_reached {};
struct tool_overdue {
  std::string execution_id;
  std::int64_t attempt = 1;
};

// -- to a queue ------------------------------------------------------------------------------------

struct post {
  std::shared_ptr<const accept_message> what;
};
struct posted {
  std::optional<problem> refused;
  std::string message_id;
  std::int64_t seq = 0;
  bool duplicate = false;
};
/// What comes from now on waits; answered with `posts_held` when nothing is under way. The agent then
/// lets the queue go on (`let_posts`), or lets go of it.
struct hold_posts {};
struct posts_held {};
struct let_posts {};
/// What left the queue; a closed session takes no more.
struct queue_changed {
  std::vector<std::string> gone;
  bool closed = false;
};

// -- to the persistence actor and the archive --------------------------------------------------------

struct append_order {
  std::shared_ptr<const persistence::append> what;
};
struct append_answer {
  result<persistence::append_outcome> outcome = problem{};
};
struct flush_appends {};
struct read_events {
  persistence::session_key session;
  std::int64_t after = 0;
  std::int64_t limit = 0; ///< 0: all there are
};
struct read_answer {
  result<std::vector<recorded_event>> events = problem{};
};
/// A page as readers get it.
struct read_stream_page {
  persistence::session_key session;
  std::int64_t after = 0;
  std::int64_t limit = 0;
};
struct stream_page_answer {
  result<stream_page> page = problem{};
};
struct read_heads {
  std::vector<persistence::session_key> sessions;
};
struct heads_answer {
  result<std::map<persistence::session_key, std::int64_t>> heads = problem{};
};
/// Any other reading, on the archive's thread.
struct archive_errand {
  std::function<void(persistence::journal&)> what;
};
struct read_blobs {
  std::int32_t tenant = 0;
  std::vector<std::string> names;
};
struct blobs_answer {
  result<std::map<std::string, std::string>> blobs = problem{};
};

// -- to a tool call --------------------------------------------------------------------------------

struct tool_ended {
  std::shared_ptr<const command> answer;
};

// -- to an inference -------------------------------------------------------------------------------

struct stream_batch {
  std::shared_ptr<const std::vector<providers::stream_event>> events;
  std::int64_t attempt = 0;
};
struct try_again {};
struct stop_now {};

// -- to the stream hub -----------------------------------------------------------------------------

struct publish_events {
  persistence::session_key session;
  std::shared_ptr<const std::vector<recorded_event>> events;
};
struct publish_live {
  persistence::session_key session;
  std::shared_ptr<const std::vector<live_item>> items;
};
struct subscribe {
  persistence::session_key session;
  std::shared_ptr<stream_reader> reader;
};
/// A reader has room for more of its past, or its past couldn't be read before.
struct go_on_reading {
  persistence::session_key session;
  std::shared_ptr<stream_reader> reader;
};
/// Looks after what other nodes append, and after readers that wait for an event that never came.
struct look_at_heads {};
struct unsubscribe {
  persistence::session_key session;
  std::shared_ptr<stream_reader> reader;
};

// -- to the fleet ----------------------------------------------------------------------------------

struct open_session {
  std::shared_ptr<const options> wanted; ///< `id`, and what a new session begins with
  opening mode = opening::either;
  bool can_ask = true;
};
struct session_opened {
  std::optional<problem> refused;
  bool created = false;
  persistence::session_row row;
  caf::actor agent;
  caf::actor steer;
  caf::actor sends;
  std::shared_ptr<running_effects> effects;
  std::int64_t last_end = 0; ///< where the last run in its log ended, as it was loaded
};
/// An agent's look at whether it has rested for long enough.
struct passivate_idle {};
/// A session has gone to rest: its agent ends, and with it its lease on the session.
struct session_rests {
  std::string id;
  persistence::session_key session;
  std::int64_t epoch = 0;
  std::shared_ptr<const persistence::snapshot> folded; ///< null: none worth keeping
};
/// Sessions of nodes that are gone, and those whose time has come, are taken.
struct take_due {};
/// Answered with `erased` when nothing of the session is left.
struct erase_session {
  std::string id;
};
struct erased {
  std::optional<problem> refused;
};
struct heartbeat_due {};
/// A session whose agent died is loaded again.
struct reopen_due {
  std::string id;
};
struct shut_down {};
struct done {};

// -- to the desk, which asks on behalf of callers outside --------------------------------------------

struct errand {
  std::function<void(caf::event_based_actor*)> what;
};

} // namespace troupe::actors

#define TROUPE_LOCAL_MESSAGES(apply)                                                                         \
  apply(order) apply(order_answer) apply(message_arrived) apply(wait_until) apply(look) apply(session_look)  \
      apply(let_go) apply(tool_overdue) apply(post) apply(posted) apply(queue_changed) apply(append_order)   \
          apply(append_answer) apply(flush_appends) apply(read_events) apply(read_answer) apply(read_blobs)  \
              apply(blobs_answer) apply(stream_batch) apply(try_again) apply(stop_now) apply(publish_events) \
                  apply(publish_live) apply(subscribe) apply(unsubscribe) apply(open_session) apply(         \
                      session_opened) apply(heartbeat_due) apply(shut_down) apply(done) apply(attach_queues) \
                      apply(reopen_due) apply(errand) apply(read_stream_page) apply(stream_page_answer)      \
                          apply(read_heads) apply(heads_answer) apply(archive_errand) apply(go_on_reading)   \
                              apply(look_at_heads) apply(passivate_idle) apply(hold_posts) apply(posts_held) \
                                  apply(let_posts) apply(take_due) apply(erase_session) apply(erased)        \
                                      apply(session_rests) apply(tool_ended) apply(deadline_reached)

CAF_BEGIN_TYPE_ID_BLOCK(troupe, caf::first_custom_type_id)
#define TROUPE_TYPE_ID(name) CAF_ADD_TYPE_ID(troupe, (troupe::actors::name))
TROUPE_LOCAL_MESSAGES(TROUPE_TYPE_ID)
#undef TROUPE_TYPE_ID
CAF_END_TYPE_ID_BLOCK(troupe)

#define TROUPE_UNSAFE(name) CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::name)
TROUPE_LOCAL_MESSAGES(TROUPE_UNSAFE)
#undef TROUPE_UNSAFE
