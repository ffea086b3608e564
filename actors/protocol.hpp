// What the actors of a node say to each other: named structs, shared where they are big, which stay
// within the process. A new one is added at the end of the list.
#pragma once

#include "actors/protocol/to_effects.hpp"
#include "actors/protocol/to_fleet.hpp"
#include "actors/protocol/to_hub.hpp"
#include "actors/protocol/to_journal.hpp"
#include "actors/protocol/to_session.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/type_id.hpp>

#define TROUPE_LOCAL_MESSAGES(apply)                                                                         \
  apply(order) apply(order_answer) apply(message_arrived) apply(wait_until) apply(look) apply(session_look)  \
      apply(let_go) apply(tool_overdue) apply(post) apply(posted) apply(append_order) apply(append_answer)   \
          apply(flush_appends) apply(read_events) apply(read_answer) apply(read_blobs) apply(blobs_answer)   \
              apply(stream_batch) apply(try_again) apply(stop_now) apply(publish_events) apply(publish_live) \
                  apply(subscribe) apply(unsubscribe) apply(open_session) apply(session_opened)              \
                      apply(heartbeat_due) apply(shut_down) apply(done) apply(session_begins)                \
                          apply(reopen_due) apply(errand) apply(read_stream_page) apply(stream_page_answer)  \
                              apply(read_heads) apply(heads_answer) apply(archive_errand)                    \
                                  apply(go_on_reading) apply(look_at_heads) apply(passivate_idle)            \
                                      apply(take_due) apply(erase_session) apply(erased)                     \
                                          apply(session_rests) apply(tool_ended) apply(let_blocks_go)        \
                                              apply(settle_readers) apply(deadline_reached) apply(play_on)   \
                                                  apply(fork_session_at) apply(forked)                       \
                                                      apply(session_trimmed) apply(leave_now)

CAF_BEGIN_TYPE_ID_BLOCK(troupe, caf::first_custom_type_id)
#define TROUPE_TYPE_ID(name) CAF_ADD_TYPE_ID(troupe, (troupe::actors::name))
TROUPE_LOCAL_MESSAGES(TROUPE_TYPE_ID)
#undef TROUPE_TYPE_ID
CAF_END_TYPE_ID_BLOCK(troupe)

#define TROUPE_UNSAFE(name) CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::name)
TROUPE_LOCAL_MESSAGES(TROUPE_UNSAFE)
#undef TROUPE_UNSAFE
