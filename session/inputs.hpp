// What comes in with a command besides the command: time, ids, and the answers of look-ups.
#pragma once

#include "messages/commands.hpp"
#include "session/state.hpp"

namespace troupe::session {

/// What the machine must know of a tool to start its calls and to judge an interrupted one.
struct tool_fact {
  bool sequential = false;
  bool shared = false;
  bool client = false;
  bool durable = false;
  interrupted_policy on_interrupted = interrupted_policy::error;
  std::int64_t timeout_ms = 0; ///< of a client tool
  bool clearable = false;      ///< old results may be left out of the context: it can be asked again
  bool idempotent = false;     ///< to do it again is harmless, also after half of it
  bool operator==(const tool_fact&) const = default;
};

/// A configured provider: its compatibility family and the model that a switch to it alone takes.
struct provider_fact {
  std::string type;
  std::string default_model;
  std::vector<std::string> models = {};  ///< that sessions may name; empty: any
  bool compacts = false;                 ///< it can make a context smaller by itself
  std::vector<std::string> efforts = {}; ///< that it takes; empty: all
  /// Why this model can't be used, or nothing. `id` is the provider's.
  std::optional<problem> refusal(const std::string& id, const std::string& model) const;
  bool operator==(const provider_fact&) const = default;
};

/// What stays the same over many commands.
struct look_ups {
  std::string instructions; ///< for the next inference
  std::string tools = "[]"; ///< for the next inference: the JSON list `[{name, description, parameters}]`
  std::map<std::string, tool_fact> tool_facts;
  std::map<std::string, provider_fact> providers;
  bool can_ask = true; ///< somebody can answer an ask; else it is an honest denial
  std::size_t queued_max = session::queued_max;
  bool operator==(const look_ups&) const = default;
};

/// Given anew with every command; nothing of it is kept but what the events record.
struct inputs {
  timestamp now;
  id_source& ids;
  const look_ups& known;
  bool compaction_wanted = false; ///< somebody waits for one: it comes before the next inference
  /// What is told to a model that can't go on with the conversation of the one before.
  std::optional<large_text> handoff = std::nullopt;
};

} // namespace troupe::session
