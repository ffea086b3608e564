// Every statement that the journal sends, by name. docs/data.md says which role runs which.
#pragma once

namespace troupe::persistence::sql {

struct statement {
  const char* name;
  const char* text;
};

// As troupe_writer: appends
extern const statement append_events;
extern const statement append_events_and_content;
extern const statement look_up_heads;
extern const statement look_up_claims;
// As troupe_writer: who owns what
extern const statement make_tenant;
extern const statement find_tenant;
extern const statement heartbeat;
extern const statement forget_dead_nodes;
extern const statement let_go_of_all;
extern const statement remove_node;
extern const statement create_session;
extern const statement fork_session;
extern const statement rename_session;
extern const statement find_owner;
extern const statement take_session;
extern const statement release_session;
extern const statement list_nodes;
extern const statement due_sessions;
extern const statement heads_of_sessions;
extern const statement keep_snapshot;
extern const statement remove_through;
extern const statement erase_session;
// As troupe_reader, of the tenant that the transaction names
extern const statement find_session;
extern const statement forks_of_session;
extern const statement list_sessions;
extern const statement read_events;
extern const statement read_payloads;
extern const statement read_blobs;
extern const statement read_these_events;
extern const statement newest_snapshot;
extern const statement blob_of_session;
extern const statement read_head;
extern const statement read_chains;

} // namespace troupe::persistence::sql
