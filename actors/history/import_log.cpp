// Twice through the file: nothing is stored of what isn't right to its end.
#include "actors/history/import_log.hpp"

#include "actors/history/exported_log.hpp"
#include "actors/history/exported_log_check.hpp"
#include "messages/digest.hpp"
#include "messages/event_codec.hpp"
#include "persistence/this_process.hpp"
#include "session/carried_state.hpp"

namespace troupe::actors {

namespace {

constexpr std::size_t appends_at_once = 64;
constexpr std::size_t bytes_at_once = std::size_t{4} << 20;
constexpr std::int64_t lease_ms = 60'000;

class storing {
 public:
  storing(persistence::journal& journal, const persistence::node_identity& node, persistence::session_row row,
      const checked_log& checked)
      : journal_(journal), node_(node), row_(std::move(row)), checked_(checked), head_(checked.begins.seq),
        chain_(checked.begins.chain) {}

  result<void> store(std::istream& from, const std::function<bool(std::int64_t)>& progress) {
    exported_log_reader lines(from);
    while (true) {
      auto item = lines.next();
      if (!item)
        return item.error();
      if (!*item) {
        if (auto done = commit(); !done)
          return done;
        return head_ == checked_.begins.seq + checked_.what.events && chain_ == checked_.chain
            ? result<void>()
            : changed();
      }
      if (auto* const blob = std::get_if<log_blob>(&**item)) {
        if (content_name(std::string_view(blob->content)) != blob->name)
          return changed();
        blobs_.push_back({std::move(blob->name), std::move(blob->content)});
      }
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
  static problem changed() {
    return {problem_code::conflict, "the file was changed while it was read; nothing was stored", {}};
  }

  void add(log_append from) {
    chain_ = chain_of(from.events, std::move(chain_));
    persistence::append out;
    out.session = row_.key;
    out.epoch = row_.epoch;
    out.expected_head = head_;
    out.command = from.events.front().command;
    out.append_id = persistence::new_uuid();
    out.blobs = std::exchange(blobs_, {});
    for (const auto& blob : out.blobs)
      bytes_ += blob.content.size();
    claim_what_waits(out);
    for (auto& event : from.events) {
      head_ = event.seq;
      bytes_ += event.payload.size();
      if (const auto happened = decode(event); event.type == "message.queued" && happened)
        out.claims.push_back(std::get<message_queued>(happened->data).message_id);
      out.events.push_back({std::move(event.type), event.version, event.at, std::move(event.run_id),
          std::move(event.payload)});
    }
    batch_.push_back(std::move(out));
  }

  // What a log goes on from holds the messages that wait; of those that it removed the ids aren't known.
  static void claim_what_waits(persistence::append& first) {
    if (first.command != command_kind::trim)
      return;
    for (const auto& blob : first.blobs)
      if (const auto before = session::read_carried(blob.content))
        for (const auto* const queue : {&before->steer, &before->sends})
          for (const auto& waiting : *queue)
            first.claims.push_back(waiting.data->message_id);
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
  std::string chain_;
};

} // namespace

result<imported> import_log(persistence::journal& journal, std::int32_t tenant,
    const persistence::node_identity& node, std::istream& from,
    const std::function<bool(std::int64_t)>& progress) {
  if (!from.seekg(0, std::ios::end) || !from.seekg(0))
    return problem{problem_code::invalid_input, "it can't be read twice: give a file, not a pipe", {}};
  const auto checked = check_exported_log(from, progress);
  if (!checked)
    return checked.error();
  const std::string& id = checked->what.session;
  if (const auto there = journal.find(tenant, id); there || there.error().code != problem_code::not_found)
    return there ? problem{problem_code::conflict, "session `" + id + "` exists already", {}} : there.error();
  from.clear();
  from.seekg(0);
  if (const auto alive = journal.heartbeat(node, lease_ms); !alive)
    return alive.error();
  // under a name of its own until it is whole: one that is cut off never looks like the session
  const auto row = journal.create(tenant, "import-" + persistence::new_uuid(), node, checked->begins);
  if (!row)
    return row.error();
  auto stored = storing(journal, node, *row, *checked).store(from, progress);
  if (stored)
    stored = journal.rename(row->key, row->epoch, id, checked->view);
  if (!stored) {
    const auto gone = journal.erase(tenant, row->id, node);
    return gone
        ? stored.error()
        : problem{stored.error().code,
            stored.error().detail + " (and what was stored of it is left as `" + row->id + "`: erase that)",
            {}};
  }
  journal.release(row->key, row->epoch);
  return checked->what;
}

} // namespace troupe::actors
