// Blocks and results name their call by the inference and the block's index; a result is kept by what was
// called.
#include "actors/history/recording.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

void put_in_order(json::writer& out, const json::value& value) {
  if (value.is(json::kind::array)) {
    out.begin_array();
    for (const auto& item : value.items())
      put_in_order(out, item);
    out.end_array();
  } else if (value.is(json::kind::object)) {
    std::vector<const json::value::member*> members;
    for (const auto& member : value.members())
      members.push_back(&member);
    std::ranges::stable_sort(members, {}, [](const auto* member) { return member->first; });
    out.begin_object();
    for (const auto* const member : members) {
      out.key(member->first);
      put_in_order(out, member->second);
    }
    out.end_object();
  } else {
    out.raw_text(value.source());
  }
}

std::string key_of(const recorded_call& call) { return call.name + " " + call.arguments; }

recorded_call called_by(const tool_call_block& block) {
  return call_of(block.name,
      block.arguments           ? block.arguments->text
          : block.arguments_raw ? block.arguments_raw->text
                                : std::string());
}

} // namespace

recorded_call call_of(std::string name, const std::string& arguments) {
  const auto parsed = json::parse(arguments);
  if (!parsed)
    return {std::move(name), arguments};
  json::writer out;
  put_in_order(out, *parsed);
  return {std::move(name), out.take()};
}

bool agree(const recorded_answer& one, const recorded_answer& other) {
  return one.text == other.text && one.calls == other.calls && one.end == other.end;
}

void recording::take(const event& happened) {
  if (const auto* const message = std::get_if<message_queued>(&happened.data)) {
    if (message->by.value_or("client") == "client")
      inputs_.push_back({message->message_id, message->delivery, message->content, message->role,
          message->settings, message->metadata});
  } else if (const auto* const withdrawn = std::get_if<message_withdrawn>(&happened.data)) {
    take_back(withdrawn->message_ids);
  } else if (const auto* const consumed = std::get_if<messages_consumed>(&happened.data)) {
    taken_up_ += consumed->message_ids.size();
  } else if (const auto* const voided = std::get_if<output_voided>(&happened.data)) {
    if (voided->reason == "fork") // whoever cut it off didn't ask again
      answers_.push_back({happened.seq, {}, {}, voided->reason, {}, taken_up_, true});
  } else if (const auto* const started = std::get_if<inference_started>(&happened.data)) {
    inference_ = started->inference_id;
    blocks_.clear();
  } else if (const auto* const shown = std::get_if<assistant_block>(&happened.data)) {
    if (shown->inference_id == inference_)
      blocks_[shown->index] = shown->block;
    if (const auto* const call = std::get_if<tool_call_block>(&shown->block))
      calls_[{shown->inference_id, shown->index}] = key_of(called_by(*call));
  } else if (const auto* const end = std::get_if<inference_finished>(&happened.data)) {
    finish(happened.seq, *end);
  } else if (const auto* const receipt = std::get_if<tool_receipt>(&happened.data)) {
    if (receipt->terminate.value_or(false))
      ended_by_.insert(receipt->execution_id);
  } else if (const auto* const result = std::get_if<tool_result>(&happened.data)) {
    const auto call = calls_.find({result->inference_id, result->index});
    if (call != calls_.end() && result->content)
      results_[call->second].push_back({*result->content, result->is_error.value_or(false),
          ended_by_.contains(result->execution_id.value_or(""))});
  }
}

void recording::take_back(const std::vector<std::string>& ids) {
  std::erase_if(inputs_,
      [&](const accept_message& input) { return std::ranges::find(ids, input.message_id) != ids.end(); });
}

void recording::finish(std::int64_t seq, const inference_finished& end) {
  if (end.inference_id != inference_)
    return;
  recorded_answer answer{seq, {}, {},
      end.error ? end.error->code + ": " + end.error->message : end.stop.value_or(""), end.usage, taken_up_,
      end.state == inference_state::cancelled};
  for (const auto& [index, shown] : blocks_) {
    if (const auto* const text = std::get_if<text_block>(&shown))
      answer.text += text->text.text;
    else if (const auto* const call = std::get_if<tool_call_block>(&shown))
      answer.calls.push_back(called_by(*call));
  }
  answers_.push_back(std::move(answer));
}

std::optional<recorded_result> recorded_results::next(const recorded_call& call) {
  const std::lock_guard lock(mutex_);
  const auto found = of_.find(key_of(call));
  if (found == of_.end() || found->second.empty()) {
    ++unknown_;
    return std::nullopt;
  }
  const std::size_t at = std::min(given_[found->first]++, found->second.size() - 1);
  return found->second[at];
}

std::size_t recorded_results::unknown() const {
  const std::lock_guard lock(mutex_);
  return unknown_;
}

} // namespace troupe::actors
