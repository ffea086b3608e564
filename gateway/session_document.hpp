// A session, its state and its messages as the API shows them.
#pragma once

#include "actors/reception.hpp"

namespace troupe::gateway {

/// The options and how the session stands.
void put_session(json::writer& out, const actors::session_report& session, std::string_view tenant);
std::string session_document(const actors::session_report& session, std::string_view tenant);

/// The folded state, for debugging and the console.
std::string state_document(const actors::state_as_of& folded);

/// The messages that wait, by queue.
std::string queues_document(const session::state& now);

/// `{seq, messages}`.
std::string context_document(std::int64_t seq, const std::vector<message>& messages);

/// What waits for somebody: `{permissions, uncertain, client_calls}`.
std::string decisions_document(const session::state& now);

} // namespace troupe::gateway
