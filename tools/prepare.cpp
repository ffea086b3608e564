// The gate before a call, and the check of its result.
#include "tools/prepare.hpp"

#include "messages/text.hpp"
#include "tools/coerce.hpp"

namespace troupe::tools {

namespace {

refused_call not_available(std::string_view name) {
  return {"Tool \"" + std::string(name) + "\" is not available."};
}

/// Compact, and as the tool prepares them; nothing where that isn't JSON that can be recorded.
std::optional<json::raw> lawful(const offered_tool& tool, std::string_view arguments) {
  // what isn't exact can't be recorded as it was meant, so it isn't run
  const auto compact_of = [](std::string_view text) -> std::optional<json::raw> {
    auto compact = json::compact(text);
    if (compact.has_error() || compact->double_keys || compact->inexact_numbers)
      return std::nullopt;
    return json::raw(std::move(compact->text));
  };
  auto given = compact_of(arguments);
  if (!given || !tool.run_by)
    return given;
  auto prepared = tool.run_by->prepare_arguments(*given);
  return prepared == *given ? std::move(given) : compact_of(prepared.text);
}

} // namespace

std::variant<prepared_call, refused_call> prepare(
    const offer& offer, const tool_call_block& call, bool complete) {
  if (offer.find(call.name) == nullptr)
    return not_available(call.name);
  if (!complete)
    return refused_call{"The tool call was incomplete and was not executed."};
  if (call.arguments)
    return prepare(offer, call.name, call.arguments->text);
  return prepare(offer, call.name, call.arguments_raw ? call.arguments_raw->text : "");
}

std::variant<prepared_call, refused_call> prepare(
    const offer& offer, std::string_view name, std::string_view arguments) {
  const offered_tool* tool = offer.find(name);
  if (tool == nullptr)
    return not_available(name);
  const bool blank = arguments.find_first_not_of(" \t\r\n") == std::string_view::npos;
  std::optional<json::raw> given;
  try {
    given = lawful(*tool, blank ? "{}" : arguments);
  } catch (const std::exception& thrown) {
    return refused_call{to_utf8(thrown.what())};
  }
  if (!given)
    return refused_call{"The arguments for \"" + std::string(name) + "\" were not valid JSON."};
  json::raw text = *std::move(given);
  if (tool->spec.coerce)
    text = coerced(text, tool->parameters);
  if (const auto broken = tool->parameters.check(text.text))
    return refused_call{
        "The arguments for \"" + std::string(name) + "\" did not match its schema. " + *broken};
  return prepared_call{tool, std::move(text)};
}

output invoke(const offered_tool& tool, const call& call) {
  output failed;
  failed.is_error = true;
  failed.error_kind = error_kind::fatal;
  try {
    return checked_result(tool, tool.run_by->run(call));
  } catch (const std::exception& error) {
    failed.content = content(to_utf8(error.what()));
  } catch (...) {
    failed.content = content("The tool failed without saying why.");
  }
  return failed;
}

output checked_result(const offered_tool& tool, output result) {
  if (!tool.result || result.is_error || result.aborted)
    return result;
  const std::string text = plain_text(result.content);
  const auto parsed = json::parse(text);
  const auto broken =
      parsed.has_value() ? tool.result->check(*parsed) : tool.result->check(json::quote(text));
  if (!broken)
    return result;
  output refused;
  refused.content = content("Tool \"" + tool.spec.name + "\" returned an invalid result.");
  refused.is_error = true;
  refused.error_kind = error_kind::fatal;
  refused.details = json::raw{json::writer().begin_object().field("reason", *broken).end_object().take()};
  return refused;
}

} // namespace troupe::tools
