// Tools are declared as they are, so that the model is asked the same; what they give is on record.
#include "actors/history/dry_run.hpp"

#include "messages/event_codec.hpp"

namespace troupe::actors {

namespace {

constexpr const char* not_recorded =
    "This call was not made in the recorded session, and a dry run carries nothing out.";

class recorded_tool final : public tools::tool {
 public:
  recorded_tool(tools::tool_spec spec, std::shared_ptr<recorded_results> results)
      : spec_(std::move(spec)), results_(std::move(results)) {}

  const tools::tool_spec& spec() const override { return spec_; }
  tools::output run(const tools::call& call) override {
    const auto result = results_->next(call_of(spec_.name, call.arguments.text));
    tools::output out;
    out.content = result ? result->content : content(not_recorded);
    out.is_error = !result || result->is_error;
    out.error_kind = result ? result->error_kind : std::nullopt;
    return out;
  }

 private:
  tools::tool_spec spec_;
  std::shared_ptr<recorded_results> results_;
};

/// True for what is said elsewhere: by the session itself, by the recording's tools, by its messages.
bool is_given_otherwise(std::string_view key) {
  for (const std::string_view other : {"id", "provider", "model", "effort", "service_tier", "instructions",
           "tools", "client_tools", "permissions"})
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
}

void add(std::optional<std::int64_t>& sum, const std::optional<std::int64_t>& one) {
  if (one)
    sum = sum.value_or(0) + *one;
}

} // namespace

result<tools::tool_box> recorded_tools(
    const tools::tool_box& real, const options& of, const std::shared_ptr<recorded_results>& results) {
  const auto offer = real.offer_of(
      of.tools.value_or(std::vector<std::string>()), of.client_tools.value_or(std::vector<client_tool>()));
  if (!offer)
    return offer.error();
  tools::tool_box box;
  for (const auto& tool : offer->all())
    if (const auto added = box.add(std::make_shared<recorded_tool>(tool->spec, results)); !added)
      return added.error();
  return box;
}

json::raw options_of_dry_run(
    const options& began, const options& now, const tools::tool_box& tools, const dry_run_changes& changes) {
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
  out.key("tools").begin_array();
  const auto offered = tools.everything();
  for (const auto& tool : offered.all())
    out.string(tool->spec.name);
  out.end_array().key("client_tools").begin_array().end_array();
  out.key("permissions").begin_array().begin_object().field("tool", "*").field("decision", "allow");
  return {out.end_object().end_array().end_object().take()};
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

dry_run_comparison compare(
    const std::vector<recorded_answer>& recorded, const std::vector<recorded_answer>& now) {
  dry_run_comparison out;
  while (out.same < recorded.size() && out.same < now.size() && agree(recorded[out.same], now[out.same]))
    ++out.same;
  if (out.same < recorded.size())
    out.recorded = recorded[out.same];
  if (out.same < now.size())
    out.now = now[out.same];
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
