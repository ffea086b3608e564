// Whether a history can go on under another provider or model (D-21).
#pragma once

#include "session/inputs.hpp"

namespace troupe::session {

/// What a message asks for, laid over what is in force: a provider alone takes its default model,
/// effort and tier stay until changed.
effective_settings merged(const effective_settings& now, const message_settings& asked,
    const std::map<std::string, provider_fact>& providers);

/// True if the provider-side history of `from` may be shown to `to`.
bool compatible(const effective_settings& from, const effective_settings& to,
    const std::map<std::string, provider_fact>& providers);

} // namespace troupe::session
