// The parameters of a route: how each is written, its bound and its default.
#pragma once

#include "messages/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::gateway {

enum class parameter_kind : std::uint8_t { text, integer, flag, choice, id, digest };

/// A query parameter, or a part of the path that is no id.
struct parameter {
  std::string name;
  std::string description;
  parameter_kind kind = parameter_kind::text;
  std::int64_t least = 0; ///< of an integer
  std::int64_t most = 0;  ///< of an integer; of a text its bytes
  std::vector<std::string> choices;
  std::optional<std::string> otherwise; ///< the value where none is given
};

parameter text_parameter(std::string name, std::string description, std::int64_t bytes_max = 1024);
parameter id_parameter(std::string name, std::string description);
/// As in a reference to stored content: `sha256:HEX`.
parameter digest_parameter(std::string name, std::string description);
parameter integer_parameter(std::string name, std::string description, std::int64_t least, std::int64_t most,
    std::optional<std::int64_t> otherwise = {});
parameter flag_parameter(std::string name, std::string description, std::optional<bool> otherwise = {});
parameter choice_parameter(std::string name, std::string description, std::vector<std::string> choices,
    std::optional<std::string> otherwise = {});

/// Whether `value` is one for `rule`. Error: `invalid_input` with the value and the bound.
result<void> check(const parameter& rule, std::string_view value);

/// The parameter's JSON Schema.
std::string schema_of(const parameter& rule);

} // namespace troupe::gateway
