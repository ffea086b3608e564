// Where the library is tested: a real database, a scripted gym, and a configuration that names both.
#pragma once

#include "providers/gym/server.hpp"
#include "tests/persistence/worlds.hpp"

#include <troupe/troupe.hpp>

namespace troupe::library {

struct stage {
  explicit stage(std::string_view rules);
  /// As a program would read it from a file.
  configuration settings() const;

  persistence::postgres_world world;
  std::unique_ptr<providers::gym::server> gym;
  persistence::temporary_directory folder;
};

/// The code of what is thrown, or nothing.
template <class Call> std::optional<problem_code> thrown_by(Call call) {
  try {
    call();
  } catch (const error& thrown) {
    return thrown.code();
  }
  return std::nullopt;
}

/// The texts of a context, one line a message.
std::string texts_of(const std::vector<message>& context);

} // namespace troupe::library
