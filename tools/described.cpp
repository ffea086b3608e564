// The part of a defined tool that doesn't depend on its types.
#include "tools/described.hpp"

#include "messages/text.hpp"

#include <stdexcept>

namespace troupe::tools {

struct tool_definition::function_tool final : tool {
  function_tool(tool_spec spec, body function) : spec_(std::move(spec)), body_(std::move(function)) {}

  const tool_spec& spec() const override { return spec_; }

  output run(const call& call) override {
    const auto arguments = json::parse(call.arguments.text);
    if (arguments.has_value())
      return body_(call, *arguments);
    output refused;
    refused.content = content("The arguments for \"" + spec_.name + "\" were not valid JSON.");
    refused.is_error = true;
    refused.error_kind = error_kind::invalid_input;
    return refused;
  }

  json::raw prepare_arguments(json::raw given) const override {
    return into_form_ ? into_form_(given) : std::move(given);
  }

  tool_spec spec_;
  tool_definition::body body_;
  std::function<json::raw(const json::raw&)> into_form_;
};

tool_definition::tool_definition(tool_spec spec, body function, make_schema schema)
    : tool_(std::make_shared<function_tool>(std::move(spec), std::move(function))), schema_(schema) {}

tool_definition& tool_definition::argument(std::string_view name, std::string remark) {
  const auto parameters = json::parse(tool_->spec_.parameters.text).value();
  const json::value* properties = parameters.find("properties");
  std::vector<std::string_view> names;
  if (properties != nullptr && schema_ != nullptr)
    for (const auto& [key, value] : properties->members())
      names.push_back(key);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    const std::string near = nearest_name(name, names.data(), names.data() + names.size());
    throw std::invalid_argument("the tool " + json::quote(tool_->spec_.name) + " has no argument "
        + json::quote(name) + (near.empty() ? "" : "; did you mean " + json::quote(near) + "?"));
  }
  remarks_[std::string(name)] = std::move(remark);
  tool_->spec_.parameters = schema_(remarks_);
  return *this;
}

tool_definition& tool_definition::idempotent() {
  tool_->spec_.idempotent = true;
  return *this;
}

tool_definition& tool_definition::durable() {
  tool_->spec_.durable = true;
  tool_->spec_.on_interrupted = interrupted_policy::rerun;
  return *this;
}

tool_definition& tool_definition::clearable() {
  tool_->spec_.clearable = true;
  return *this;
}

tool_definition& tool_definition::sequential() {
  tool_->spec_.sequential = true;
  return *this;
}

tool_definition& tool_definition::shared() {
  tool_->spec_.shared = true;
  return *this;
}

tool_definition& tool_definition::coerce() {
  tool_->spec_.coerce = true;
  return *this;
}

tool_definition& tool_definition::prepare_arguments(std::function<json::raw(const json::raw&)> into_form) {
  tool_->into_form_ = std::move(into_form);
  return *this;
}

tool_definition& tool_definition::on_interrupted(interrupted_policy policy) {
  tool_->spec_.on_interrupted = policy;
  return *this;
}

tool_definition& tool_definition::timeout(std::chrono::milliseconds bound) {
  tool_->spec_.timeout_ms = bound.count();
  return *this;
}

tool_definition::operator std::shared_ptr<tool>() const { return tool_; }

output described::mismatch(std::string_view tool, const reading& at) {
  output out;
  out.content =
      content("The arguments for \"" + std::string(tool) + "\" did not match its schema. " + at.fault);
  out.is_error = true;
  out.error_kind = error_kind::invalid_input;
  return out;
}

} // namespace troupe::tools
