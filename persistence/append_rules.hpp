// What an append must be like by itself, and a name, before anyone looks at the session.
#pragma once

#include "persistence/journal.hpp"

namespace troupe::persistence {

/// The bytes that an append brings: payloads, stored content, claims and views.
std::size_t bytes_of(const append& append);

/// Why the append can never be stored, or nothing.
std::optional<problem> fault_of(const append& append);

/// The refusal of a name that breaks the rule of `is_id`; `what`: tenant or session.
problem not_a_name(const std::string& what, const std::string& name);

/// The refusal of what was meant for an epoch that is over.
problem taken_meanwhile(const std::string& id);

/// The refusal to remove what a fork inherited.
problem read_by_a_fork();

/// The length of `sha256:`, which the digits of a name follow.
inline constexpr std::size_t content_name_prefix = 7;

/// True for 64 hexadecimal digits in lower case after `sha256:`.
bool is_content_name(std::string_view name);

} // namespace troupe::persistence
