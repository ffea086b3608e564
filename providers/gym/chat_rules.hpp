// The checks that Chat Completions makes on a request, in its own words where they are known.
#pragma once

#include "providers/gym/conversation.hpp"

namespace troupe::providers::gym {

/// The conversation of a request's body, or how the service refuses it.
std::variant<conversation, service_error> read_chat_request(std::string_view body);

} // namespace troupe::providers::gym
