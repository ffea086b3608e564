// The configuration of a system: where its database is, its providers, its bounds.
#pragma once

#include "config/config.hpp"

namespace troupe {

/// Every member has the default that `config/troupe.toml` tells of.
using configuration = config::configuration;

/// Reads `file`; if it is empty `$TROUPE_CONFIG`, else `troupe.toml` where it is there. `DATABASE_URL` and
/// `TROUPE__SECTION__KEY` of the environment are laid over it, and where no provider is configured the keys
/// of the environment make some (`ANTHROPIC_API_KEY`, `OPENAI_API_KEY`). Throws `error`: `invalid_input` with
/// the place, the key and what was meant.
configuration load_config(const std::string& file = {});

} // namespace troupe
