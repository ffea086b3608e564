// One line of the API: where it is, what it takes, what it answers, who carries it out.
#pragma once

#include "gateway/exchange.hpp"
#include "gateway/parameters.hpp"
#include "gateway/schema.hpp"

namespace troupe::gateway {

/// What a key must be good for.
enum class scope : std::uint8_t { anyone, use, admin };

/// Whom a request comes from.
struct caller {
  std::string tenant = "default";
  bool admin = false;
};

struct body_rule {
  std::string description;
  std::string schema; ///< JSON Schema
  bool required = true;
};

/// The rule for a body that `read_body<T>` reads.
template <class T> body_rule body_of(std::string description, bool required = true) {
  return {std::move(description), json_schema<T>(), required};
}

struct answer_rule {
  int status = 200;
  std::string description;
  std::string schema = {}; ///< JSON Schema; empty: not told
  std::string content_type = "application/json";
};

struct route;

/// What the router found out about a request. Every value keeps to the rule of its parameter.
class matched {
 public:
  const route* of = nullptr;
  caller by;

  /// A part of the path, as `id` of `/v1/sessions/{id}`; empty if the route has no such part.
  const std::string& at(std::string_view name) const;
  /// A query parameter, or what stands for it where it isn't given.
  std::optional<std::string> text(std::string_view name) const;
  std::optional<std::int64_t> integer(std::string_view name) const;
  bool flag(std::string_view name) const; ///< false unless it says otherwise

  std::vector<std::pair<std::string, std::string>> path;
  std::vector<std::pair<std::string, std::string>> query;
};

/// Called on an I/O thread that serves others too: whatever takes time goes elsewhere and answers later.
using handler = std::function<void(std::shared_ptr<exchange>, matched)>;

struct route {
  std::string method;  ///< a `GET` answers `HEAD` too
  std::string path;    ///< `/v1/sessions/{id}`; parts in braces are ids unless `parameters` says otherwise;
                       ///< a last `{name*}` takes all the rest, also none
  std::string summary; ///< a few words
  std::string description = {};
  scope needs = scope::use;
  bool while_draining = false; ///< answered by a server that takes no new work
  std::vector<parameter> parameters = {};
  std::optional<body_rule> body = {}; ///< absent: takes none
  std::vector<answer_rule> answers = {};
  handler carry_out = {};
};

} // namespace troupe::gateway
