// Twice through the file: nothing is stored of what isn't right to its end.
#include "actors/history/import_log.hpp"

#include "actors/append_of.hpp"
#include "actors/history/exported_log.hpp"
#include "messages/digest.hpp"
#include "messages/event_codec.hpp"
#include "persistence/this_process.hpp"
#include "session/replay/verifier.hpp"

#include <set>

namespace troupe::actors {

namespace {

constexpr std::size_t appends_at_once = 64;
constexpr std::size_t bytes_at_once = std::size_t{4} << 20;
constexpr std::int64_t lease_ms = 60'000;

/// What the first reading found.
struct checked_log {
  imported what;
  persistence::session_view view;
};

class checking {
 public:
  explicit checking(std::istream& from) : lines_(from) {}

  result<checked_log> check(const std::function<bool(std::int64_t)>& progress) {
    while (true) {
      const auto item = lines_.next();
      if (!item)
        return item.error();
      if (!*item)
        return ended_ ? result<checked_log>(checked_log{out_, view_of(log_.now())})
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
    if (!known_.insert(blob.name).second)
      return wrong("the content `" + blob.name + "` is there twice");
    ++out_.blobs;
    return {};
  }

  // Judged when the next one begins: a fork may have cut it short.
  result<void> take(const log_append& append) {
    if (out_.session.empty())
      return wrong("the first line isn't the head of a log");
    if (auto done = judge(append.events.front().command == command_kind::fork); !done)
      return done;
    open_ = append;
    open_line_ = lines_.line();
    return take_references();
  }

  result<void> take_references() {
    for (const auto& event : open_.events) {
      const auto happened = decode(event);
      std::string missing;
      if (happened)
        each_reference(happened->data, [&](const blob_ref& ref) {
          if (!known_.contains(ref.blob))
            missing = ref.blob;
        });
      if (!missing.empty())
        return wrong("event " + std::to_string(event.seq) + " refers to the content `" + missing
            + "`, which doesn't stand before it");
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
    out_.events = log_.now().head;
    return {};
  }

  result<void> take(const log_end& end) {
    if (auto done = judge(false); !done)
      return done;
    hash chain{};
    std::copy(log_.chain().begin(), log_.chain().end(), chain.begin());
    if (out_.events == 0)
      return wrong("the log is empty");
    if (log_.now().options->id != out_.session)
      return wrong(
          "the events are of session `" + log_.now().options->id + "`, the head says `" + out_.session + "`");
    if (end.head != out_.events)
      return wrong("the head is said to be " + std::to_string(end.head) + ", the last event is "
          + std::to_string(out_.events));
    if (end.chain != hex(chain))
      return wrong("the chain doesn't hold: an event was changed");
    ended_ = true;
    return {};
  }

  exported_log_reader lines_;
  session::verifier log_;
  log_append open_; ///< read, and not judged yet
  std::int64_t open_line_ = 0;
  std::set<std::string> known_;
  imported out_;
  bool ended_ = false;
};

class storing {
 public:
  storing(persistence::journal& journal, const persistence::node_identity& node, persistence::session_row row,
      const checked_log& checked)
      : journal_(journal), node_(node), row_(std::move(row)), checked_(checked) {}

  result<void> store(std::istream& from, const std::function<bool(std::int64_t)>& progress) {
    exported_log_reader lines(from);
    while (true) {
      auto item = lines.next();
      if (!item)
        return item.error();
      if (!*item)
        return commit();
      if (auto* const blob = std::get_if<log_blob>(&**item))
        blobs_.push_back({std::move(blob->name), std::move(blob->content)});
      if (auto* const append = std::get_if<log_append>(&**item)) {
        add(std::move(*append));
        if (batch_.size() >= appends_at_once || bytes_ >= bytes_at_once)
          if (auto done = commit(); !done)
            return done;
        if (progress && !progress(head_))
          return problem{problem_code::cancelled, "the import was stopped; nothing was stored", {}};
      }
    }
  }

 private:
  void add(log_append from) {
    persistence::append out;
    out.session = row_.key;
    out.epoch = row_.epoch;
    out.expected_head = head_;
    out.command = from.events.front().command;
    out.append_id = persistence::new_uuid();
    out.blobs = std::exchange(blobs_, {});
    for (const auto& blob : out.blobs)
      bytes_ += blob.content.size();
    for (auto& event : from.events) {
      head_ = event.seq;
      bytes_ += event.payload.size();
      if (const auto happened = decode(event); event.type == "message.queued" && happened)
        out.claims.push_back(std::get<message_queued>(happened->data).message_id);
      out.events.push_back({std::move(event.type), event.version, event.at, std::move(event.run_id),
          std::move(event.payload)});
    }
    if (head_ == checked_.what.events)
      out.view = checked_.view;
    batch_.push_back(std::move(out));
  }

  result<void> commit() {
    if (batch_.empty())
      return {};
    if (const auto renewed = journal_.heartbeat(node_, lease_ms); !renewed)
      return renewed.error();
    const auto outcomes = journal_.append_all(std::exchange(batch_, {}));
    bytes_ = 0;
    if (!outcomes)
      return outcomes.error();
    for (const auto& outcome : *outcomes) {
      if (const auto* const no = std::get_if<persistence::refused>(&outcome))
        return no->why;
      if (!std::holds_alternative<persistence::committed>(outcome))
        return problem{problem_code::conflict,
            "the session `" + row_.id + "` was changed by another one while it was imported", {}};
    }
    return {};
  }

  persistence::journal& journal_;
  const persistence::node_identity& node_;
  const persistence::session_row row_;
  const checked_log& checked_;
  std::vector<persistence::append> batch_;
  std::vector<persistence::blob> blobs_;
  std::size_t bytes_ = 0;
  std::int64_t head_ = 0;
};

} // namespace

result<imported> import_log(persistence::journal& journal, std::int32_t tenant,
    const persistence::node_identity& node, std::istream& from,
    const std::function<bool(std::int64_t)>& progress) {
  const auto checked = checking(from).check(progress);
  if (!checked)
    return checked.error();
  from.clear();
  from.seekg(0);
  if (const auto alive = journal.heartbeat(node, lease_ms); !alive)
    return alive.error();
  const auto row = journal.create(tenant, checked->what.session, node);
  if (!row)
    return row.error();
  if (const auto stored = storing(journal, node, *row, *checked).store(from, progress); !stored) {
    (void)journal.erase(tenant, row->id, node); // else its head is there, and it is in the way
    return stored.error();
  }
  journal.release(row->key, row->epoch);
  return checked->what;
}

} // namespace troupe::actors
