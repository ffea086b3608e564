// The log: events with fields, one line each, on stderr. Never content, never a secret.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::telemetry {

enum class level { debug, info, warning, error, none };

/// What is below `least` isn't written; nothing at all with `none`. From any thread.
void set_least_level(level least);

/// `event` is what happened, in a few words; a field is a name and its value.
void log(level severity, std::string_view event,
    std::initializer_list<std::pair<std::string_view, std::string>> fields = {});

} // namespace troupe::telemetry
