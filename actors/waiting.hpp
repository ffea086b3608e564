// Waiting for an answer that comes in a callback.
#pragma once

#include "messages/result.hpp"

#include <future>

namespace troupe::actors {

/// What a request means to its caller that nobody can answer any more.
problem node_has_ended();

/// Waits for what `begin` has answered. The promise is shared: the answer may still be setting it then. Only
/// the answer holds it: with the last of those who could have given it the waiting ends.
template <class T, class Begin> result<T> waited(Begin begin) {
  auto answered = std::make_shared<std::promise<result<T>>>();
  auto future = answered->get_future();
  begin([answered = std::move(answered)](result<T> answer) { answered->set_value(std::move(answer)); });
  try {
    return future.get();
  } catch (const std::future_error&) {
    return node_has_ended();
  }
}

} // namespace troupe::actors
