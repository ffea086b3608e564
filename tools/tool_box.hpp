// The tools that a node has, by name and by toolset, and what one session offers of them.
#pragma once

#include "tools/kept_result.hpp"
#include "tools/schema.hpp"
#include "tools/session_tools.hpp"
#include "tools/tool.hpp"

#include <map>
#include <span>

namespace troupe::tools {

/// A tool as a session offers it, with its schemas compiled. `run_by` is null for a client tool:
/// whoever holds the API carries that out.
struct offered_tool {
  tool_spec spec;
  schema parameters;
  std::optional<schema> result;
  std::shared_ptr<tool> run_by;
};

/// What the model of one session may call, in a stable order: that of the names asked for, and by
/// name within a toolset. A value; cheap to copy.
class offer {
 public:
  /// Null where it isn't offered: a tool that exists but is hidden is unknown too.
  const offered_tool* find(std::string_view name) const;
  const std::vector<std::shared_ptr<const offered_tool>>& all() const& { return tools_; }
  std::vector<std::shared_ptr<const offered_tool>> all() && { return std::move(tools_); }
  /// The list as the model is shown it: `[{"name":…,"description":…,"parameters":…}]`.
  std::string json() const;
  /// The same without the tools that `names` leaves out (a mode); names of nothing are passed over.
  offer only(std::span<const std::string> names) const;
  /// Adds one. Errors: `conflict` if the name is taken.
  troupe::result<void> add(std::shared_ptr<const offered_tool> tool);

 private:
  std::vector<std::shared_ptr<const offered_tool>> tools_;
};

/// Built once at the start, then only read, but for what single sessions are given; all of that is safe from
/// many threads.
class tool_box {
 public:
  /// Registers a tool under its name and its toolset, where it has one. Errors: `invalid_input` or
  /// `unsupported` for a bad name or a schema that isn't lawful, `conflict` for a name twice.
  troupe::result<void> add(std::shared_ptr<tool> tool, std::string_view toolset = {});

  /// Gives tools to one session alone, which names them as it names those of the box. Errors: as `add`, and
  /// nothing was given.
  troupe::result<void> give(const std::string& session, const std::vector<std::shared_ptr<tool>>& tools);
  /// The same tools for another session, as a fork needs them.
  void share(const std::string& from, const std::string& to) { given_->share(from, to); }
  void take_back(const std::string& session) { given_->forget(session); }
  bool has_given(const std::string& session) const { return !given_->names(session).empty(); }

  /// How long a client's result is waited for where its tool names no time.
  void wait_for_clients(std::int64_t timeout_ms) { client_timeout_ms_ = timeout_ms; }

  /// Bytes of a result's text that the context has room for (kept_result.hpp).
  void show_at_most(std::size_t bytes) { output_bytes_max_ = bytes; }
  std::size_t output_bytes_max() const { return output_bytes_max_; }

  /// The offer of a session: `names` are tools or toolsets, a name twice counts once. A client tool
  /// may not bear the name of another tool. `session`: whose own tools count, too. Errors: `invalid_input`
  /// with "did you mean".
  troupe::result<offer> offer_of(std::span<const std::string> names,
      std::span<const client_tool> client_tools = {}, const std::string& session = {}) const;

  /// Every tool there is, by name, and the toolsets with their members.
  offer everything() const;
  const std::map<std::string, std::vector<std::string>, std::less<>>& toolsets() const { return toolsets_; }

 private:
  troupe::result<std::shared_ptr<const offered_tool>> prepared(
      tool_spec spec, std::shared_ptr<tool> run_by) const;
  problem unknown(std::string_view name, const std::string& session) const;

  std::map<std::string, std::shared_ptr<const offered_tool>, std::less<>> tools_;
  std::map<std::string, std::vector<std::string>, std::less<>> toolsets_;
  std::int64_t client_timeout_ms_ = 600'000;
  std::size_t output_bytes_max_ = troupe::tools::output_bytes_max;
  std::unique_ptr<schema_cache> schemas_ = std::make_unique<schema_cache>();
  std::unique_ptr<session_tools> given_ = std::make_unique<session_tools>();
};

/// The longest that a client's result may be waited for: a week.
inline constexpr std::int64_t client_timeout_ms_max = std::int64_t{7} * 24 * 3600 * 1000;

/// What a client's tool declares, as our own tools declare it.
tool_spec spec_of(const client_tool& tool, std::int64_t timeout_ms = 600'000);

} // namespace troupe::tools
