// What an event refers to stands before it, mostly right before: the search goes back in windows
// that grow.
#include "actors/stream_hub/event_filling.hpp"

#include "messages/event_codec.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace troupe::actors {

namespace {

constexpr std::size_t page_bytes_about = std::size_t{1} << 20;
constexpr std::int64_t first_window = 64;

using call_place = std::pair<std::string, std::int64_t>; ///< the inference and the block's index

/// What events before have, and what is still looked for.
class earlier_events {
 public:
  void want(const event_data& data) {
    if (const auto* const it = std::get_if<tool_started>(&data); it && !it->arguments)
      calls_wanted_.insert(it->execution_id);
    if (const auto* const it = std::get_if<permission_requested>(&data); it && !it->arguments)
      calls_wanted_.insert(it->execution_id);
    if (const auto* const it = std::get_if<tool_result>(&data);
        it && it->execution_id && (!it->content || !it->is_error))
      receipts_wanted_.insert(*it->execution_id);
  }

  void learn(const event_data& data) {
    if (const auto* const it = std::get_if<tools_requested>(&data))
      for (const auto& call : it->calls)
        places_.try_emplace(call.execution_id, it->inference_id, call.index);
    if (const auto* const it = std::get_if<assistant_block>(&data))
      if (const auto* const call = std::get_if<tool_call_block>(&it->block))
        arguments_.try_emplace(
            call_place(it->inference_id, it->index), call->arguments.value_or(json::raw{"{}"}));
    if (const auto* const it = std::get_if<tool_receipt>(&data))
      receipts_.try_emplace(it->execution_id, *it);
  }

  bool lacks_something() const {
    return std::any_of(calls_wanted_.begin(), calls_wanted_.end(),
               [&](const auto& id) { return arguments_of(id) == nullptr; })
        || std::any_of(receipts_wanted_.begin(), receipts_wanted_.end(),
            [&](const auto& id) { return !receipts_.contains(id); });
  }

  void fill(event_data& data) const {
    if (auto* const it = std::get_if<tool_started>(&data); it && !it->arguments)
      if (const auto* const found = arguments_of(it->execution_id))
        it->arguments = *found;
    if (auto* const it = std::get_if<permission_requested>(&data); it && !it->arguments)
      if (const auto* const found = arguments_of(it->execution_id))
        it->arguments = *found;
    if (auto* const it = std::get_if<tool_result>(&data); it && it->execution_id)
      if (const auto found = receipts_.find(*it->execution_id); found != receipts_.end()) {
        if (!it->content)
          it->content = found->second.content;
        if (!it->is_error)
          it->is_error = found->second.is_error;
      }
  }

 private:
  const json::raw* arguments_of(const std::string& execution_id) const {
    const auto place = places_.find(execution_id);
    if (place == places_.end())
      return nullptr;
    const auto found = arguments_.find(place->second);
    return found == arguments_.end() ? nullptr : &found->second;
  }

  std::set<std::string> calls_wanted_;
  std::set<std::string> receipts_wanted_;
  std::map<std::string, call_place> places_;
  std::map<call_place, json::raw> arguments_;
  std::map<std::string, tool_receipt> receipts_;
};

result<void> learn_all(earlier_events& known, const std::vector<recorded_event>& events) {
  for (const auto& stored : events) {
    if (stored.type != "tools.requested" && stored.type != "assistant.block" && stored.type != "tool.receipt")
      continue;
    const auto happened = decode(stored);
    if (!happened)
      return happened.error();
    known.learn(happened->data);
  }
  return {};
}

result<void> look_back(persistence::journal& journal, const persistence::session_key& session,
    std::int64_t before, earlier_events& known) {
  for (std::int64_t window = first_window; known.lacks_something() && before > 1; window *= 8) {
    const std::int64_t after = std::max<std::int64_t>(before - 1 - window, 0);
    auto events = journal.read(session, after, static_cast<std::size_t>(before - 1 - after),
        {"tools.requested", "assistant.block", "tool.receipt"});
    if (!events)
      return events.error();
    std::erase_if(*events, [&](const auto& stored) { return stored.seq >= before; });
    std::reverse(events->begin(), events->end()); // the newest counts
    if (const auto learnt = learn_all(known, *events); !learnt)
      return learnt.error();
    before = after + 1;
  }
  return {};
}

result<void> fill_texts(persistence::journal& journal, std::int32_t tenant, std::vector<event*>& events) {
  std::vector<std::string> names;
  for (auto* const happened : events)
    each_text(happened->data, [&](large_text& text) {
      if (text.ref)
        names.push_back(text.ref->blob);
    });
  if (names.empty())
    return {};
  const auto contents = journal.blobs(tenant, names);
  if (!contents)
    return contents.error();
  for (auto* const happened : events)
    each_text(happened->data, [&](large_text& text) {
      if (!text.ref)
        return;
      if (const auto found = contents->find(text.ref->blob); found != contents->end()) {
        text.text = found->second;
        text.ref.reset(); // it is written as itself
      }
    });
  return {};
}

/// Instructions, tools and what a log goes on from stay references.
bool stays_as_stored(const recorded_event& stored) {
  return stored.type == "inference.started" || stored.type == "context.trimmed"
      || stored.type.starts_with("session.");
}

} // namespace

bool needs_filling(const recorded_event& stored) {
  const auto lacks = [&](const char* field) { return stored.payload.find(field) == std::string::npos; };
  if (stored.type == "tool.started" || stored.type == "permission.requested")
    return lacks("\"arguments\":");
  if (stored.type == "tool.result" && (lacks("\"content\":") || lacks("\"is_error\":")))
    return true;
  if (stays_as_stored(stored))
    return false;
  return !lacks("\"blob\":\"sha256:");
}

result<std::vector<recorded_event>> filled(persistence::journal& journal,
    const persistence::session_key& session, std::vector<recorded_event> page) {
  std::vector<std::pair<std::size_t, event>> partly;
  earlier_events known;
  for (std::size_t i = 0; i < page.size(); ++i) {
    if (!needs_filling(page[i]))
      continue;
    auto happened = decode(page[i]);
    if (!happened)
      return happened.error();
    known.want(happened->data);
    partly.emplace_back(i, *std::move(happened));
  }
  if (partly.empty())
    return page;
  if (known.lacks_something())
    if (const auto learnt = learn_all(known, page); !learnt)
      return learnt.error();
  // not from the page's start: a page of some types alone lacks what stands between
  if (const auto found = look_back(journal, session, partly.back().second.seq, known); !found)
    return found.error();
  std::vector<event*> events;
  for (auto& [i, happened] : partly) {
    known.fill(happened.data);
    events.push_back(&happened);
  }
  if (const auto texts = fill_texts(journal, session.tenant, events); !texts)
    return texts.error();
  for (const auto& [i, happened] : partly)
    page[i].payload = encode(happened.data);
  return page;
}

namespace {

/// What the event will have when its texts are filled in.
std::size_t shown_bytes(const recorded_event& stored) {
  static constexpr std::string_view mark = "\",\"bytes\":";
  std::size_t bytes = stored.payload.size();
  if (stays_as_stored(stored))
    return bytes;
  for (auto at = stored.payload.find(mark); at != std::string::npos; at = stored.payload.find(mark, at + 1))
    bytes += std::strtoull(stored.payload.c_str() + at + mark.size(), nullptr, 10);
  return bytes;
}

} // namespace

bool cut_page(std::vector<recorded_event>& events, std::size_t bytes_about) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    bytes += shown_bytes(events[i]);
    if (bytes > bytes_about && i > 0) {
      events.resize(i);
      return true;
    }
  }
  return false;
}

result<stream_page> read_page(persistence::journal& journal, const persistence::session_key& session,
    std::int64_t after, std::size_t limit) {
  auto events = journal.read(session, after, limit);
  if (!events)
    return events.error();
  stream_page page;
  page.last = events->size() < limit;
  if (cut_page(*events, page_bytes_about))
    page.last = false;
  auto whole = filled(journal, session, *std::move(events));
  if (!whole)
    return whole.error();
  page.events = *std::move(whole);
  return page;
}

} // namespace troupe::actors
