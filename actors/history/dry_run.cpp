// Tools are declared as they are, so that the model is asked the same; what they came to is on record.
#include "actors/history/dry_run.hpp"

#include "messages/event_codec.hpp"
#include "messages/json_mapping.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

constexpr const char* not_recorded =
    "This call was not made in the recorded session, and a dry run carries nothing out.";

/// True for what is said elsewhere: by the session itself, by the recording's tools, by its messages.
bool is_given_otherwise(std::string_view key) {
  for (const std::string_view other : {"id", "provider", "model", "effort", "service_tier", "instructions",
           "tools", "client_tools", "permissions", "on_failed_effect"})
    if (key == other)
      return true;
  return false;
}

void put_changed(json::writer& out, const options& began, const options& now) {
  const std::string before_text = to_json(began);
  const std::string after_text = to_json(now);
  const auto before = json::parse(before_text);
  const auto after = json::parse(after_text);
  if (!before || !after)
    return;
  for (const auto& [key, value] : after->members()) {
    const auto* const was = before->find(key);
    if (!is_given_otherwise(key) && (!was || was->source() != value.source()))
      out.key(key).raw_text(value.source());
  }
  for (const auto& [key, was] : before->members())
    if (!is_given_otherwise(key) && !after->find(key))
      out.key(key).null(); // taken back
}

void add(std::optional<std::int64_t>& sum, const std::optional<std::int64_t>& one) {
  if (one)
    sum = sum.value_or(0) + *one;
}

} // namespace

result<std::vector<client_tool>> recorded_tools(const tools::tool_box& real, const options& of) {
  const auto offer = real.offer_of(
      of.tools.value_or(std::vector<std::string>()), of.client_tools.value_or(std::vector<client_tool>()));
  if (!offer)
    return offer.error();
  std::vector<client_tool> tools;
  for (const auto& offered : offer->all()) {
    client_tool tool;
    tool.name = offered->spec.name;
    tool.description = offered->spec.description;
    tool.parameters = offered->spec.parameters;
    if (offered->spec.sequential)
      tool.execution = "sequential";
    if (offered->spec.shared)
      tool.concurrency = "shared";
    tools.push_back(std::move(tool));
  }
  return tools;
}

json::raw options_of_dry_run(const options& began, const options& now, const std::vector<client_tool>& tools,
    const dry_run_changes& changes) {
  json::writer out;
  out.begin_object();
  put_changed(out, began, now);
  const auto put = [&](const char* key, const std::optional<std::string>& text) {
    if (text)
      out.field(key, *text);
  };
  put("provider", changes.provider);
  put("model", changes.model);
  put("effort", changes.effort);
  if (changes.instructions || now.instructions != began.instructions)
    out.field("instructions",
        changes.instructions ? *changes.instructions : now.instructions.value_or(large_text("")).text);
  out.key("tools").begin_array().end_array().key("client_tools").raw_text(json::to_text(tools));
  out.key("permissions").begin_array().begin_object().field("tool", "*").field("decision", "allow");
  out.end_object().end_array();
  return {out.field("on_failed_effect", "record").end_object().take()};
}

std::vector<client_result> recorded_answers(const session::state& fork, recorded_results& results) {
  std::vector<client_result> answers;
  for (const auto& call : fork.calls) {
    if (call.phase != session::call_phase::running || !call.client)
      continue;
    const auto result = results.next(call_of(call.name, call.effective_arguments().text));
    client_result answer;
    answer.execution_id = call.execution_id;
    answer.content = result ? result->content : content(not_recorded);
    answer.is_error = !result || result->is_error;
    answer.terminate = result && result->terminate;
    answers.push_back(std::move(answer));
  }
  return answers;
}

accept_message said_again(accept_message input, const dry_run_changes& changes) {
  input.message_id.clear();
  input.delivery = delivery::send;
  if (input.settings && (changes.provider || changes.model)) {
    input.settings->provider.reset();
    input.settings->model.reset();
  }
  if (input.settings && changes.effort)
    input.settings->effort.reset();
  if (input.settings == message_settings())
    input.settings.reset();
  return input;
}

namespace {

/// The answers to one input.
std::vector<recorded_answer> answers_to(const std::vector<recorded_answer>& all, std::size_t input) {
  std::vector<recorded_answer> out;
  for (const auto& answer : all)
    if (answer.input == input)
      out.push_back(answer);
  return out;
}

} // namespace

dry_run_comparison compare(
    const std::vector<recorded_answer>& recorded, const std::vector<recorded_answer>& now) {
  dry_run_comparison out;
  std::size_t inputs = 0;
  for (const auto& answer : recorded)
    inputs = std::max(inputs, answer.input);
  for (std::size_t input = 0; input <= inputs; ++input) {
    const auto before = answers_to(recorded, input);
    const auto again = answers_to(now, input);
    for (std::size_t i = 0; !before.empty() && i < std::max(before.size(), again.size()); ++i) {
      if (i < before.size() && before[i].cut_off)
        break;
      if (i < before.size() && i < again.size() && agree(before[i], again[i])) {
        ++out.same;
        continue;
      }
      if (i < before.size())
        out.recorded = before[i];
      if (i < again.size())
        out.now = again[i];
      return out;
    }
  }
  return out;
}

usage tokens_of(const std::vector<recorded_answer>& answers) {
  usage sum;
  for (const auto& answer : answers) {
    add(sum.input_tokens, answer.usage.input_tokens);
    add(sum.output_tokens, answer.usage.output_tokens);
  }
  return sum;
}

} // namespace troupe::actors
