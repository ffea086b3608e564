// Line by line: the form, content by its name, each append by the rules of a journal and by the machine, the
// end.
#include "actors/history/exported_log_check.hpp"

#include "actors/append_of.hpp"
#include "actors/history/exported_log.hpp"
#include "messages/digest.hpp"
#include "messages/event_codec.hpp"
#include "persistence/append_rules.hpp"
#include "persistence/log_check.hpp"
#include "persistence/this_process.hpp"
#include "session/carried_state.hpp"
#include "session/replay/verifier.hpp"

#include <map>

namespace troupe::actors {

namespace {

class checking {
 public:
  explicit checking(std::istream& from)
      : lines_(from), log_([this](const std::string& name) { return state_named(name); }) {}

  result<checked_log> check(const std::function<bool(std::int64_t)>& progress) {
    while (true) {
      const auto item = lines_.next();
      if (!item)
        return item.error();
      if (!*item)
        return ended_ ? result<checked_log>(checked_log{out_, view_of(log_.now()), log_.chain(), begins_})
                      : lines_.refusal("there is no `end` line: the file was cut off");
      if (ended_)
        return wrong("there is something behind the `end` line");
      if (auto done = std::visit([&](const auto& it) { return take(it); }, **item); !done)
        return done.error();
      if (progress && !progress(log_.now().head))
        return problem{problem_code::cancelled, "the import was stopped; nothing was stored", {}};
    }
  }

 private:
  problem wrong(const std::string& why) const {
    return {problem_code::invalid_input, "line " + std::to_string(lines_.line()) + ": " + why, {}};
  }

  result<void> take(const log_header& header) {
    if (lines_.line() != 1)
      return wrong("the head of a log stands in its first line");
    if (!is_id(header.session))
      return wrong("`" + header.session.substr(0, 140) + "` is no session id");
    out_.session = header.session;
    return {};
  }

  result<void> take(const log_blob& blob) {
    if (out_.session.empty())
      return wrong("the first line isn't the head of a log");
    if (content_name(std::string_view(blob.content)) != blob.name)
      return wrong("the content isn't the one that `" + blob.name.substr(0, 80) + "` names");
    if (!known_.emplace(blob.name, blob.content.size()).second)
      return wrong("the content `" + blob.name + "` is there twice");
    ++out_.blobs;
    coming_bytes_ += blob.content.size();
    if (coming_bytes_ > persistence::append_bytes_max)
      return wrong("the content of one append is over the bound of "
          + std::to_string(persistence::append_bytes_max) + " bytes");
    if (blob.content.starts_with("{\"outline\":")) // no other content is looked into
      coming_[blob.name] = blob.content;
    return {};
  }

  std::optional<std::string> state_named(const std::string& name) const {
    const auto found = at_hand_.find(name);
    return found == at_hand_.end() ? std::nullopt : std::optional(found->second);
  }

  // Judged when the next one begins: a fork may have cut it short.
  result<void> take(const log_append& append) {
    if (out_.session.empty())
      return wrong("the first line isn't the head of a log");
    if (auto done = judge(append.events.front().command == command_kind::fork); !done)
      return done;
    persistence::append form;
    form.append_id = persistence::new_uuid();
    for (const auto& event : append.events)
      form.events.push_back({event.type, event.version, event.at, event.run_id, event.payload});
    if (const auto fault = persistence::fault_of(form))
      return wrong(fault->detail);
    if (open_line_ == 0)
      begins_ = persistence::beginning_of(append.events.front());
    at_hand_ = std::exchange(coming_, {});
    coming_bytes_ = 0;
    open_ = append;
    open_line_ = lines_.line();
    return take_references();
  }

  result<void> take_references() {
    for (const auto& event : open_.events) {
      const auto happened = decode(event);
      std::string missing;
      const auto look = [&](const blob_ref& ref) {
        const auto known = known_.find(ref.blob);
        if (known == known_.end() || known->second != ref.bytes)
          missing = ref.blob;
      };
      if (happened)
        each_reference(happened->data, look);
      const auto* const trimmed = happened ? std::get_if<context_trimmed>(&happened->data) : nullptr;
      if (const auto text =
              trimmed && trimmed->state ? state_named(trimmed->state->content.ref->blob) : std::nullopt)
        if (const auto before = session::read_carried(*text))
          session::each_reference(*before, look);
      if (!missing.empty())
        return wrong("event " + std::to_string(event.seq) + " refers to the content `" + missing
            + "`, which doesn't stand before it with so many bytes");
    }
    return {};
  }

  result<void> judge(bool cut) {
    if (open_.events.empty())
      return {};
    if (const auto other = log_.take(open_.events, cut))
      return problem{problem_code::invalid_input,
          "line " + std::to_string(open_line_) + ": event " + std::to_string(other->seq) + ": expected "
              + other->expected + ", found " + other->found,
          {}};
    open_.events.clear();
    out_.events = log_.now().head - log_.begins_after();
    return {};
  }

  result<void> take(const log_end& end) {
    if (auto done = judge(false); !done)
      return done;
    if (out_.events == 0)
      return wrong("the log is empty");
    if (!log_.now().options || log_.now().options->id != out_.session)
      return wrong("the events are of session `" + (log_.now().options ? log_.now().options->id : "")
          + "`, the head says `" + out_.session + "`");
    if (end.head != log_.now().head)
      return wrong("the head is said to be " + std::to_string(end.head) + ", the last event is "
          + std::to_string(log_.now().head));
    if (end.chain != hex(log_.chain()))
      return wrong("the chain doesn't hold: an event was changed");
    ended_ = true;
    return {};
  }

  exported_log_reader lines_;
  session::verifier log_;
  persistence::log_place begins_;
  log_append open_; ///< read, and not judged yet
  std::int64_t open_line_ = 0;
  std::map<std::string, std::uint64_t> known_; ///< content that stands before, with its bytes
  std::size_t coming_bytes_ = 0;               ///< of the content that stands before the next append
  std::map<std::string, std::string> coming_;  ///< what of it may be a state that the log goes on from
  std::map<std::string, std::string> at_hand_; ///< and before the one that is open
  imported out_;
  bool ended_ = false;
};

} // namespace

result<checked_log> check_exported_log(
    std::istream& from, const std::function<bool(std::int64_t)>& progress) {
  return checking(from).check(progress);
}

} // namespace troupe::actors
