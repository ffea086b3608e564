// Looking for an event in an append.
#pragma once

#include "messages/event.hpp"

#include <span>

namespace troupe::session {

/// The first event of this type, or null.
template <class T> const T* first_of(std::span<const event> append) {
  for (const auto& event : append)
    if (const auto* const held = std::get_if<T>(&event.data))
      return held;
  return nullptr;
}

} // namespace troupe::session
