// Older versions of events become the newest one, a step at a time, for ever.
#pragma once

#include "messages/result.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace troupe {

/// Turns the payload of version `from` of a type into that of version `from + 1`. Pure; the payload
/// is lawful JSON. Steps are only ever added, and never change.
struct upcaster {
  std::string_view type;
  std::int16_t from = 1;
  std::string (*step)(const std::string& payload) = nullptr;
};

/// All steps of this build: none yet, every type is at version 1.
std::span<const upcaster> upcasters();

/// The version of a type that this build writes and folds: one above its last step.
std::int16_t newest_version(std::string_view type, std::span<const upcaster> steps = upcasters());

/// The payload in the newest version. Errors: `corrupt` for a version that doesn't exist yet.
result<std::string> upcast(std::string_view type, std::int16_t version, std::string_view payload,
    std::span<const upcaster> steps = upcasters());

} // namespace troupe
