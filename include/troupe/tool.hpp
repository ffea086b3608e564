// Tools: a function over described structs, or over JSON with schemas given by hand.
//
//   struct weather_query { std::string city; std::optional<int> days; };
//   BOOST_DESCRIBE_STRUCT(weather_query, (), (city, days))
//   auto weather = troupe::define_tool("weather", "The weather in a city for the coming days",
//       [](const troupe::call& call, const weather_query& query) -> std::string { … })
//     .argument("days", "How many days ahead, 1 to 7").idempotent();
#pragma once

#include "tools/described.hpp"

namespace troupe {

/// One attempt at a call: its arguments, its idempotency key, whether it is stopped, where progress is told.
using call = tools::call;
/// What a tool gives back when text or a described value isn't enough: parts, `is_error`, `terminate`.
using output = tools::output;
/// A tool that is being defined; a value that shares the tool.
using tool_definition = tools::tool_definition;
/// A tool by hand: what it declares, and a function that blocks on a thread of its own.
using tool = tools::tool;
using tool_spec = tools::tool_spec;
using tools::define_tool;
/// Where a tool gives its output later: `[](const call&, const query&, reply<forecast> answer) { … }`.
using tools::reply;

/// A tool that an agent has: one of the program's own, or the name of one that the system has, or of a
/// toolset, as `workspace`.
class agent_tool {
 public:
  agent_tool(const tool_definition& defined) : own_(defined.get()), name_(own_->spec().name) {}
  agent_tool(std::shared_ptr<tools::tool> own) : own_(std::move(own)), name_(own_->spec().name) {}
  agent_tool(std::string name) : name_(std::move(name)) {}
  agent_tool(const char* name) : name_(name) {}

  const std::string& name() const { return name_; }
  /// Null where it is named alone.
  const std::shared_ptr<tools::tool>& own() const { return own_; }

 private:
  std::shared_ptr<tools::tool> own_;
  std::string name_;
};

} // namespace troupe
