// To which call a fragment belongs.
#include "providers/openai_chat/calls.hpp"

namespace troupe::providers::openai_chat {

void object_watch::add(std::string_view text) {
  for (const char c : text) {
    if (in_string_) {
      if (escaped_)
        escaped_ = false;
      else if (c == '\\')
        escaped_ = true;
      else if (c == '"')
        in_string_ = false;
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      opened_ = true;
      ++depth_;
    } else if (c == '}' || c == ']') {
      --depth_;
    }
  }
}

// Servers exist that repeat the name on every fragment, that give every call the index 0, and that
// give an id too late: a new call has another id, or a name that isn't a repetition.
bool call_assembly::begins_anew(const assembled_call& call, const call_fragment& fragment) const {
  auto whole = call.watch.closed();
  if (!fragment.id.empty() && !call.id.empty() && fragment.id != call.id)
    return whole || !fragment.name.empty();
  if (fragment.name.empty() || call.name.empty() || (!fragment.id.empty() && fragment.id == call.id))
    return false;
  return fragment.name != call.name || (whole && !fragment.arguments.empty());
}

std::size_t call_assembly::find(const call_fragment& fragment, std::size_t place, std::size_t row) const {
  if (fragment.index) {
    auto found = by_index_.find(*fragment.index);
    return found == by_index_.end() || begins_anew(calls_[found->second], fragment) ? none : found->second;
  }
  if (auto known = by_id_.find(fragment.id); !fragment.id.empty() && known != by_id_.end())
    return known->second;
  if (calls_.empty())
    return none;
  if (row > 1) { // several without an index stand for as many calls, in order
    if (!fragment.id.empty() || !fragment.name.empty() || calls_.size() < row)
      return none;
    return calls_.size() - row + place;
  }
  auto newest = calls_.size() - 1;
  return begins_anew(calls_[newest], fragment) ? none : newest;
}

std::size_t call_assembly::add(const call_fragment& fragment, std::size_t place, std::size_t row) {
  auto at = find(fragment, place, row);
  if (at == none) {
    at = calls_.size();
    calls_.emplace_back();
    if (fragment.index)
      by_index_[*fragment.index] = at;
  }
  auto& call = calls_[at];
  if (call.id.empty() && !fragment.id.empty()) {
    call.id = fragment.id;
    by_id_[call.id] = at;
  }
  if (call.name.empty())
    call.name = fragment.name;
  call.arguments += fragment.arguments;
  call.watch.add(fragment.arguments);
  return at;
}

} // namespace troupe::providers::openai_chat
