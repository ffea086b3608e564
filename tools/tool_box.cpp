// Registering tools, and choosing those of one session.
#include "tools/tool_box.hpp"

#include "messages/text.hpp"

#include <algorithm>

namespace troupe::tools {

namespace {

bool is_tool_name(std::string_view name) {
  const auto lawful = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), lawful);
}

problem of_tool(std::string_view name, const problem& inner, const char* which) {
  return {inner.code, "the tool " + json::quote(name) + " can't be offered: " + which + ": " + inner.detail,
      inner.errors};
}

/// Providers ask for an object schema that says so; one that only forgot to say it is repaired.
json::raw with_object_type(const json::raw& parameters) {
  const std::string_view rest = std::string_view(parameters.text).substr(1);
  return {"{\"type\":\"object\"" + std::string(rest == "}" ? "" : ",") + std::string(rest)};
}

} // namespace

const offered_tool* offer::find(std::string_view name) const {
  for (const auto& tool : tools_)
    if (tool->spec.name == name)
      return tool.get();
  return nullptr;
}

std::string offer::json() const {
  json::writer out;
  out.begin_array();
  for (const auto& tool : tools_) {
    out.begin_object().field("name", tool->spec.name).field("description", tool->spec.description);
    out.key("parameters").raw_text(tool->spec.parameters.text).end_object();
  }
  return out.end_array().take();
}

offer offer::only(std::span<const std::string> names) const {
  offer out;
  for (const auto& tool : tools_)
    if (std::find(names.begin(), names.end(), tool->spec.name) != names.end())
      out.tools_.push_back(tool);
  return out;
}

result<void> offer::add(std::shared_ptr<const offered_tool> tool) {
  if (find(tool->spec.name) != nullptr)
    return problem{problem_code::conflict, "two tools are named " + json::quote(tool->spec.name), {}};
  tools_.push_back(std::move(tool));
  return {};
}

result<std::shared_ptr<const offered_tool>> tool_box::prepared(
    tool_spec spec, std::shared_ptr<tool> run_by) const {
  if (!is_tool_name(spec.name))
    return problem{problem_code::invalid_input,
        "the tool name " + json::quote(spec.name) + " isn't lawful: 1 to 64 of A-Z, a-z, 0-9, _ and -", {}};
  const auto compact = json::compact(spec.parameters.text);
  if (compact.has_error())
    return of_tool(spec.name, compact.error(), "parameters");
  spec.parameters = compact->text;
  auto parameters = schemas_->compile(spec.parameters.text);
  if (parameters.has_error())
    return of_tool(spec.name, parameters.error(), "parameters");
  if (parameters->is_untyped() && compact->type == json::kind::object) {
    spec.parameters = with_object_type(spec.parameters);
    parameters = schemas_->compile(spec.parameters.text);
  }
  if (!parameters->wants_object())
    return of_tool(
        spec.name, {problem_code::invalid_input, "the schema must be of type object", {}}, "parameters");
  auto made = std::make_shared<offered_tool>(
      offered_tool{std::move(spec), *parameters, std::nullopt, std::move(run_by)});
  if (made->spec.result) {
    auto compiled = schemas_->compile(made->spec.result->text);
    if (compiled.has_error())
      return of_tool(made->spec.name, compiled.error(), "result");
    made->result = *compiled;
  }
  return std::shared_ptr<const offered_tool>(std::move(made));
}

result<void> tool_box::add(std::shared_ptr<tool> tool, std::string_view toolset) {
  auto made = prepared(tool->spec(), tool);
  if (made.has_error())
    return made.error();
  const std::string& name = (*made)->spec.name;
  if (tools_.contains(name) || toolsets_.contains(name))
    return problem{problem_code::conflict, "two tools or toolsets are named " + json::quote(name), {}};
  if (!toolset.empty()) {
    if (tools_.contains(toolset))
      return problem{problem_code::conflict, "two tools or toolsets are named " + json::quote(toolset), {}};
    auto& members = toolsets_[std::string(toolset)];
    members.insert(std::upper_bound(members.begin(), members.end(), name), name);
  }
  tools_.emplace(name, *made);
  return {};
}

result<void> tool_box::give(const std::string& session, const std::vector<std::shared_ptr<tool>>& tools) {
  std::vector<std::shared_ptr<const offered_tool>> given;
  for (const auto& tool : tools) {
    auto made = prepared(tool->spec(), tool);
    if (made.has_error())
      return made.error();
    const std::string& name = (*made)->spec.name;
    const bool twice = std::ranges::any_of(given, [&](const auto& one) { return one->spec.name == name; });
    if (twice || tools_.contains(name) || toolsets_.contains(name))
      return problem{problem_code::conflict, "two tools or toolsets are named " + json::quote(name), {}};
    given.push_back(std::move(*made));
  }
  given_->give(session, std::move(given));
  return {};
}

problem tool_box::unknown(std::string_view name, const std::string& session) const {
  const auto own = given_->names(session);
  std::vector<std::string_view> names(own.begin(), own.end());
  for (const auto& [known, tool] : tools_)
    names.push_back(known);
  for (const auto& [known, members] : toolsets_)
    names.push_back(known);
  const std::string near = nearest_name(name, names.data(), names.data() + names.size());
  return {problem_code::invalid_input,
      "there is no tool or toolset `" + std::string(name) + "`"
          + (near.empty() ? "" : "; did you mean `" + near + "`?"),
      {}};
}

result<offer> tool_box::offer_of(std::span<const std::string> names,
    std::span<const client_tool> client_tools, const std::string& session) const {
  offer out;
  const auto take = [&](const std::string& name) {
    if (out.find(name) == nullptr)
      out.add(tools_.find(name)->second).value();
  };
  for (const std::string& name : names) {
    if (const auto set = toolsets_.find(name); set != toolsets_.end())
      std::for_each(set->second.begin(), set->second.end(), take);
    else if (tools_.contains(name))
      take(name);
    else if (auto own = given_->find(session, name); !own)
      return unknown(name, session);
    else if (out.find(name) == nullptr)
      out.add(std::move(own)).value();
  }
  for (const client_tool& tool : client_tools) {
    auto made = prepared(spec_of(tool, client_timeout_ms_), nullptr);
    if (made.has_error())
      return made.error();
    if (auto added = out.add(*made); added.has_error())
      return added.error();
  }
  return out;
}

offer tool_box::everything() const {
  offer out;
  for (const auto& [name, tool] : tools_)
    out.add(tool).value();
  return out;
}

tool_spec spec_of(const client_tool& tool, std::int64_t timeout_ms) {
  tool_spec out;
  out.name = tool.name;
  out.description = tool.description;
  out.parameters = tool.parameters;
  out.result = tool.result;
  out.durable = tool.durable.value_or(false);
  out.idempotent = tool.idempotent.value_or(false);
  out.clearable = out.durable && out.idempotent; // it only reads, for all that is known
  out.on_interrupted =
      out.durable ? interrupted_policy::rerun : tool.on_interrupted.value_or(interrupted_policy::error);
  out.sequential = tool.execution == "sequential";
  out.shared = tool.concurrency == "shared";
  out.timeout_ms = tool.timeout_ms.value_or(timeout_ms);
  return out;
}

} // namespace troupe::tools
