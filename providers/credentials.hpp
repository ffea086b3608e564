// Where a provider's key comes from, and a type that keeps it from being printed.
#pragma once

#include "messages/result.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace troupe::providers {

/// A value that no stream, log or message takes by itself.
class secret {
 public:
  secret() = default;
  explicit secret(std::string value) : value_(std::move(value)) {}
  bool empty() const { return value_.empty(); }
  /// The value, for the header that it is made for.
  const std::string& reveal() const { return value_; }
  /// `text` with every occurrence of the value replaced by `[redacted]`.
  std::string redact(std::string text) const;

 private:
  std::string value_;
};

/// At most one of them is set; none: requests go out without a key.
struct credential_settings {
  secret api_key;
  std::string api_key_env;  ///< the name of an environment variable
  std::string api_key_file; ///< read anew for each inference, so that a key can be changed underneath
  /// Where `api_key_env` is looked up: this room reads no environment, whoever owns it lends it.
  std::function<const char*(const char* name)> environment{};
  /// Runs the command that prints the key, waits for it, and gives what it printed: lent too, since this room
  /// starts no processes. Its errors hold nothing that it printed.
  std::function<result<std::string>()> command{};
  std::function<void()> end_command{};   ///< ends a run that is under way, and those to come
  std::chrono::seconds command_for{300}; ///< how long its key is kept (key_keeper.hpp)
};

/// The key as it is now; a command is run, and waited for. Errors: `invalid_input` that names the source,
/// never the value.
result<secret> resolve(const credential_settings& settings);

} // namespace troupe::providers
