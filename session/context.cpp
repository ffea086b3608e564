// Messages in a shared list, newest first, so that a copy costs nothing.
#include "session/context.hpp"

#include <algorithm>
#include <cctype>

namespace troupe::session {

struct context::node {
  context_entry entry;
  mutable std::shared_ptr<const node> before;

  node(context_entry e, std::shared_ptr<const node> b) : entry(std::move(e)), before(std::move(b)) {}
  node(const node&) = delete;
  node& operator=(const node&) = delete;
  // One by one: a long list must not be destroyed by recursion.
  ~node() {
    auto next = std::move(before);
    while (next && next.use_count() == 1)
      next = std::move(next->before);
  }
};

context::context() { digest_.update("["); }

context::context(std::vector<context_entry> entries, used_ids used) : used_(std::move(used)) {
  rebuild(std::move(entries));
}

void context::push(context_entry entry) {
  if (size_ > 0)
    digest_.update(",");
  digest_.update(to_json(entry.message));
  ++size_;
  last_ = std::make_shared<const node>(std::move(entry), std::move(last_));
}

void context::rebuild(std::vector<context_entry> entries) {
  last_ = nullptr;
  size_ = 0;
  digest_ = sha256();
  digest_.update("[");
  for (auto& entry : entries)
    push(std::move(entry));
}

void context::add_message(message message, std::int64_t seq, std::int64_t from) {
  push({std::move(message), seq, from, seq});
}

void context::add_block(const assistant_block& block, std::int64_t seq) {
  if (open_.empty()) {
    open_inference_ = block.inference_id;
    open_seq_ = seq;
  }
  const auto place = std::upper_bound(open_indexes_.begin(), open_indexes_.end(), block.index);
  open_.insert(open_.begin() + (place - open_indexes_.begin()), block.block);
  open_indexes_.insert(place, block.index);
}

// The first use over the whole log keeps its id; what no provider takes is replaced.
std::string context::shown_id(const std::string& call_id, const call_ref& call) {
  if (given_names_)
    for (const auto& named : *given_names_)
      if (named.call == call)
        return named.shown;
  std::string id = call_id.find_first_not_of(" \t\r\n") == std::string::npos
      ? "call-" + std::to_string(call.index)
      : call_id;
  for (char& c : id)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-')
      c = '_';
  static constexpr std::size_t id_max = 64;
  id.resize(std::min(id.size(), id_max));
  if (given_names_)
    return id;
  while (true) {
    const int before = used_.use(id);
    if (before == 0)
      return id;
    const std::string suffix = "-" + std::to_string(before + 1);
    std::string renamed = id.substr(0, id_max - suffix.size()) + suffix;
    if (used_.use(renamed) == 0)
      return renamed;
  }
}

void context::finish_inference(const std::string& inference_id, std::int64_t seq) {
  calls_.clear();
  if (open_.empty() || open_inference_ != inference_id)
    return;
  renamed_calls renamed;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    auto* const call = std::get_if<tool_call_block>(&open_[i]);
    if (!call)
      continue;
    const call_ref place{inference_id, open_indexes_[i]};
    std::string shown = shown_id(call->call_id, place);
    if (shown != call->call_id)
      renamed.push_back({place, shown});
    call->call_id = std::move(shown);
    calls_.push_back({place, call->call_id, call->name});
  }
  message assistant{"assistant", {}, std::move(open_), std::nullopt, std::nullopt};
  open_.clear();
  std::vector<std::int64_t>().swap(open_indexes_); // the session may rest for long now
  std::string().swap(open_inference_);
  push({std::move(assistant), open_seq_, open_seq_, seq, nullptr,
      renamed.empty() ? nullptr : std::make_shared<const renamed_calls>(std::move(renamed))});
}

void context::void_output(const std::string& inference_id) {
  if (open_inference_ != inference_id)
    return;
  open_.clear();
  open_indexes_.clear();
}

void context::add_result(const tool_result& result, const content& shown, bool is_error, std::int64_t seq) {
  const call_ref call{result.inference_id, result.index};
  const auto known =
      std::find_if(calls_.begin(), calls_.end(), [&](const shown_call& c) { return c.call == call; });
  if (known == calls_.end())
    return; // the answer was compacted away or reset in between: no result stands without its call
  push({{"tool", parts_of(shown), {}, known->shown_id, is_error}, seq, seq, seq,
      std::make_shared<const answered_call>(answered_call{call, known->tool})});
}

void context::reset(const std::optional<large_text>& handoff, std::int64_t seq) {
  calls_.clear();
  open_.clear();
  open_indexes_.clear();
  rebuild({});
  if (handoff)
    add_message({"system", {text_part{*handoff}}, {}, std::nullopt, std::nullopt}, seq, seq);
}

std::string cleared_text(const std::string& tool) { return "[old tool output cleared: " + tool + "]"; }

void context::clear(const context_cleared& cleared) {
  auto all = entries();
  for (auto& entry : all)
    if (entry.answers
        && std::find(cleared.calls.begin(), cleared.calls.end(), entry.answers->call) != cleared.calls.end())
      entry.message.parts = {text_part{cleared_text(entry.answers->tool)}};
  rebuild(std::move(all));
}

std::int64_t context::replace(const compaction_finished& compaction, std::int64_t seq, std::int64_t needed) {
  std::vector<context_entry> kept;
  for (const auto& message : compaction.replacement)
    kept.push_back({{message.role, parts_of(message.content), {}, std::nullopt, std::nullopt},
        compaction.through_seq, seq, seq, nullptr, nullptr, true});
  auto before = entries();
  needed = std::min(needed, seq);
  for (const auto& entry : before)
    if (entry.seq > compaction.through_seq)
      needed = std::min(needed, entry.from);
  // an answer is folded from its first block on, or not at all
  for (const auto& entry : before)
    if (entry.message.role == "assistant" && entry.from < needed && needed <= entry.to)
      needed = entry.from;
  for (auto& entry : before)
    if (entry.seq > compaction.through_seq)
      kept.push_back(std::move(entry));
  rebuild(std::move(kept));
  return needed;
}

void context::name_calls_as(renamed_calls given) {
  given_names_ = std::make_shared<const renamed_calls>(std::move(given));
}

renamed_calls context::renamed() const {
  renamed_calls all;
  for (const auto& entry : entries())
    if (entry.renamed)
      all.insert(all.end(), entry.renamed->begin(), entry.renamed->end());
  return all;
}

void context::newest_first(const std::function<bool(const context_entry&)>& visit) const {
  for (const node* at = last_.get(); at && visit(at->entry); at = at->before.get()) {
  }
}

std::vector<context_entry> context::entries() const {
  std::vector<context_entry> out;
  out.reserve(size_);
  for (const node* at = last_.get(); at; at = at->before.get())
    out.push_back(at->entry);
  std::reverse(out.begin(), out.end());
  return out;
}

std::vector<message> context::messages() const {
  const auto shared = shared_messages();
  return {shared.begin(), shared.end()};
}

message_list context::shared_messages() const {
  std::vector<message_list::shared> all;
  all.reserve(size_ + 1);
  for (const auto* at = &last_; *at; at = &(*at)->before)
    all.emplace_back(*at, &(*at)->entry.message);
  std::reverse(all.begin(), all.end());
  message_list out(std::move(all));
  if (!open_.empty())
    out.push_back({"assistant", {}, open_, std::nullopt, std::nullopt});
  return out;
}

std::string context::last_role() const {
  if (!open_.empty())
    return "assistant";
  return last_ ? last_->entry.message.role : std::string();
}

std::string context::digest() const {
  sha256 running = digest_;
  running.update("]");
  return content_name(running.finish());
}

} // namespace troupe::session
