// Deltas are shown once; a block that is committed shows what its deltas haven't.
#include "cli/run_screen.hpp"

#include "cli/transcript.hpp"
#include "messages/event_codec.hpp"

#include <iostream>

namespace troupe::cli {

void run_screen::print(std::string_view text) {
  if (text.empty())
    return;
  std::cout << for_terminal(text) << std::flush;
  line_open_ = text.back() != '\n';
}

void run_screen::end_line() {
  if (line_open_)
    std::cout << std::endl;
  line_open_ = false;
}

void run_screen::note(const std::string& line) {
  end_line();
  std::cerr << line << std::endl;
}

void run_screen::show_delta(const actors::live_delta& delta) {
  if (delta.kind != providers::block_kind::text || as_json_)
    return;
  auto& bytes = printed_[{delta.inference_id, delta.block}];
  if (delta.offset + delta.text.size() <= bytes || delta.offset > bytes)
    return; // shown already, or what comes before it was missed: the block will show it
  print(std::string_view(delta.text).substr(bytes - delta.offset));
  bytes = delta.offset + delta.text.size();
}

void run_screen::show_event(const event& happened) {
  if (const auto* const it = std::get_if<assistant_block>(&happened.data)) {
    if (const auto* const text = std::get_if<text_block>(&it->block); text && text->text.loaded) {
      auto& bytes = printed_[{it->inference_id, it->index}];
      if (text->text.text.size() > bytes)
        print(std::string_view(text->text.text).substr(bytes));
      bytes = text->text.text.size();
      end_line();
    }
    if (const auto* const call = std::get_if<tool_call_block>(&it->block))
      note("-> " + glance(call->name) + " "
          + glance(call->arguments ? call->arguments->text : "(arguments that are no JSON object)", 200));
  } else if (const auto* const requested = std::get_if<tools_requested>(&happened.data)) {
    for (const auto& call : requested->calls)
      tools_[call.execution_id] = call.name;
  } else if (const auto* const receipt = std::get_if<tool_receipt>(&happened.data)) {
    note("<- " + glance(tools_[receipt->execution_id]) + (receipt->is_error ? " failed: " : ": ")
        + glance(plain_text(receipt->content)));
  } else if (std::holds_alternative<output_voided>(happened.data)) {
    note("The answer was cut off: what was shown of it doesn't count, it is asked again.");
  } else if (const auto* const started = std::get_if<tool_started>(&happened.data);
             started && started->attempt > 1) {
    note("-> " + glance(started->name) + " again, attempt " + std::to_string(started->attempt));
  } else if (const auto* const changed = std::get_if<settings_changed>(&happened.data)) {
    note("Now with " + glance(changed->provider) + " " + glance(changed->model)
        + (changed->compatible ? "" : "; the history starts anew, it isn't compatible"));
  }
}

void run_screen::know(const std::vector<session::call_state>& calls) {
  for (const auto& call : calls)
    tools_.try_emplace(call.execution_id, call.name);
}

std::optional<event> run_screen::show(const actors::stream_item& item) {
  if (const auto* const delta = std::get_if<actors::live_delta>(&item)) {
    show_delta(*delta);
    return std::nullopt;
  }
  if (const auto* const partial = std::get_if<actors::live_partial>(&item)) {
    show_delta({partial->inference_id, partial->block, partial->kind, 0, partial->text});
    return std::nullopt;
  }
  if (const auto* const retry = std::get_if<actors::live_retry>(&item)) {
    note("The provider failed (" + glance(retry->why) + "); trying again in "
        + std::to_string(retry->delay_ms) + " ms.");
    return std::nullopt;
  }
  if (std::holds_alternative<actors::live_progress>(item))
    return std::nullopt; // its result is shown when it is there
  const auto& stored = std::get<recorded_event>(item);
  auto happened = decode(stored);
  if (as_json_)
    std::cout << to_line(stored) << std::endl;
  if (!happened)
    return std::nullopt;
  if (!as_json_)
    show_event(*happened);
  return std::move(*happened);
}

} // namespace troupe::cli
