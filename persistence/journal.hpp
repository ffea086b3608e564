// The journal: where the events of sessions are kept, and who may write them.
//
// Calls block; the persistence actor gives each journal a thread of its own. Trouble with the
// database never leaves `append` as a guess: an append is committed, refused, or not yet tried.
#pragma once

#include "messages/result.hpp"
#include "persistence/append.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::persistence {

/// A session's row.
struct session_row {
  session_key key;
  std::string id;
  std::int64_t head = 0;
  std::int64_t epoch = 0;
  std::optional<std::string> node; ///< who owns it, absent when nobody does
  session_view view;
  std::int64_t deaths = 0; ///< epochs taken since the head last moved and not let go of in order
  timestamp created_at;
  timestamp updated_at;
  std::int64_t cut =
      0; ///< of a fork: up to here it reads another one's log, its own events are behind; else 0
  /// False while it was only made: whoever made it hasn't appended to it yet.
  bool begun() const { return head > cut; }
};

/// A place in a log, and the chain there: 32 bytes, empty at 0.
struct log_place {
  std::int64_t seq = 0;
  std::string chain;
};

/// Of an event what it is folded from.
struct seen_payload {
  std::int64_t seq = 0;
  std::string_view type;
  std::int16_t version = 1;
  std::string_view payload;
};

/// Where a page of `list` ended: the last row's `created_at` and branch.
struct page_mark {
  timestamp created_at;
  std::int64_t branch = 0;
};

/// A process that shares the database.
struct node_identity {
  std::string id;   ///< UUID, new at each start
  std::string name; ///< for people: host and process
  std::string boot_id;
  std::int64_t pid = 0;
  std::int64_t start_ticks = 0; ///< of the process, so that a pid used again isn't taken for it
};

/// A folded state as it was stored: never trusted over the log, thrown away at any time.
struct snapshot {
  std::int64_t seq = 0;     ///< the last event of an append, which it is as of
  std::int32_t version = 0; ///< of its form
  std::string content;
};

/// A snapshot with the chain at its place, 32 bytes.
struct kept_snapshot {
  snapshot folded;
  std::string chain;
};

/// Of so many events the newest snapshot is kept: so far at most a state is folded from one before it.
inline constexpr std::int64_t snapshot_every = 5'000;

/// The session that was taken: its row with our epoch, and everything that is in its log, or with a
/// snapshot what came after that.
struct taken_session {
  session_row row;
  std::optional<snapshot> from;
  std::vector<recorded_event> events;
};

/// A session as somebody holds it: another one of its name is on another branch, another holder's epoch is
/// higher.
struct session_hold {
  std::int64_t branch = 0;
  std::int64_t epoch = 0;
};

/// What went with a session that was erased.
struct erasure {
  std::int64_t events = 0;
  std::int64_t claims = 0; ///< ids of messages and keys of requests
  std::int64_t snapshots = 0;
  std::int64_t contents = 0;    ///< that nobody else referred to
  std::int64_t kept_events = 0; ///< that its forks inherited: for them only
};

class journal {
 public:
  virtual ~journal() = default;

  /// The tenant's number, made when new. Errors: `unavailable`.
  virtual result<std::int32_t> tenant(const std::string& name) = 0;

  /// Registers this process and its lease, or renews it; gives the database's time.
  /// A node whose lease lapsed keeps its id. Errors: `unavailable`.
  virtual result<timestamp> heartbeat(const node_identity& node, std::int64_t lease_ms) = 0;
  /// Ends the lease at once and lets go of every session of the node.
  virtual void leave(const node_identity& node) = 0;

  /// Makes an empty session owned by `node`, to be filled by its first append (epoch 1, head 0; what is
  /// brought back from a log whose beginning was removed goes on from there). Errors: `conflict` if the id
  /// exists.
  virtual result<session_row> create(std::int32_t tenant, const std::string& id, const node_identity& node,
      const log_place& begins = {}) = 0;
  /// Makes a session on a branch of its own that reads `parent`'s log up to the place `cut`, which is in it,
  /// and knows the claims up to there. It goes on with `first`, of which its session, epoch, claims and
  /// expected head are passed over; nobody owns it. All of it is there or nothing. Errors: `conflict` if the
  /// id exists, `not_found` if the parent is gone, or the cut was removed; why `first` can't be stored.
  virtual result<session_row> fork(
      const session_row& parent, const log_place& cut, const std::string& id, const append& first) = 0;
  /// Gives a session that `epoch` holds another name, and what its row says. Errors: `conflict` if the id
  /// exists, `fenced` if the session is another one's by now.
  virtual result<void> rename(
      const session_key& session, std::int64_t epoch, const std::string& id, const session_view& view) = 0;
  /// Takes the session: its epoch rises by one, `node` owns it, its whole log is read.
  /// So it does when `node` owns it already, without counting a death: nothing that was appended under
  /// the epoch before can come after the load. With a `snapshot_version` the newest snapshot of that
  /// form comes with it, if there is one of this very log, and only the events after it are read.
  /// Errors: `not_found`; `owned_elsewhere` while its owner's lease holds (the detail names it).
  virtual result<taken_session> take(std::int32_t tenant, const std::string& id, const node_identity& node,
      std::int32_t snapshot_version = 0) = 0;
  /// Keeps a snapshot and throws away those that `snapshot_every` doesn't keep; what fails is only slower the
  /// next time.
  virtual void keep(const session_key& session, const snapshot& folded) = 0;
  /// The newest snapshot of that form at or before `seq`, of this very log.
  virtual result<std::optional<kept_snapshot>> snapshot_before(
      const session_key& session, std::int64_t seq, std::int32_t version) = 0;
  /// Lets go of the session, if the epoch is still ours. The epoch ends: nothing that was appended
  /// under it can come after, so that what is left to do is known for good.
  /// False if the database couldn't be told: the session stays ours.
  virtual bool release(const session_key& session, std::int64_t epoch) = 0;

  /// Commits what can be committed; answers one outcome an append, in order. Waits and tries again
  /// while the database is away, looks unknown outcomes up, and gives up only when `stopping`.
  virtual result<std::vector<append_outcome>> append_all(const std::vector<append>& batch) = 0;
  /// Makes a waiting `append_all` give up with `unavailable`; may be called from another thread.
  virtual void stop() = 0;

  /// The session's row, or `not_found`.
  virtual result<session_row> find(std::int32_t tenant, const std::string& id) = 0;
  /// Whether a node has the session, whose lease holds and whose process lives. Errors: `not_found`.
  virtual result<bool> is_held(std::int32_t tenant, const std::string& id) = 0;
  /// By the time they were made, newest first, after `page`. `status` empty: all; `attention`: those in
  /// which something waits for somebody. At most `limit`.
  virtual result<std::vector<session_row>> list(std::int32_t tenant, const std::string& status,
      std::size_t limit, const std::optional<page_mark>& page = std::nullopt) = 0;
  /// Sessions that no live node owns and that want to be loaded now: work was left in them, or their
  /// time to wake has come; of one tenant (0: of all), and none of `except`. At most `limit`.
  virtual result<std::vector<session_row>> due(const node_identity& node, std::size_t limit,
      std::int32_t tenant = 0, const std::vector<std::string>& except = {}) = 0;
  /// Events after `after`, in order, at most `limit`; with `types`, of those alone.
  virtual result<std::vector<recorded_event>> read(const session_key& session, std::int64_t after,
      std::size_t limit, const std::vector<std::string>& types = {}) = 0;
  /// Shows the payloads of the events of `types` after `after` up to `through`, in order, each once: what
  /// a fold needs, where it came in. `show` keeps no part of it, and asks the journal nothing.
  virtual result<void> read_payloads(const session_key& session, std::int64_t after, std::int64_t through,
      const std::vector<std::string>& types, const std::function<void(const seen_payload&)>& show);
  /// The events with these numbers, in order.
  virtual result<std::vector<recorded_event>> read_these(
      const session_key& session, const std::vector<std::int64_t>& seqs) = 0;
  /// The heads of sessions, as many as there still are.
  virtual result<std::map<session_key, std::int64_t>> heads(const std::vector<session_key>& sessions) = 0;
  /// Deletes the session for good: row, events, claims, snapshots, and content that nobody else refers
  /// to. What forks inherited stays, for them only. Whoever runs it is fenced. Its log may be damaged.
  /// Errors: `not_found`; `owned_elsewhere` while another node's lease on it holds.
  /// With a `hold` only while it is held so: `fenced` if not. Absent: it went at an earlier try
  /// whose answer was lost.
  virtual result<std::optional<erasure>> erase(std::int32_t tenant, const std::string& id,
      const node_identity& node, std::optional<session_hold> hold = std::nullopt) = 0;
  /// Removes the events up to `through`, since the one behind them (`context.trimmed`) says all that the log
  /// goes on from, and whatever only they needed; claims stay. Whoever calls holds the session under `epoch`.
  /// Of a fork, what it inherited is cut off. Gives how many events went; a second time none. Errors:
  /// `fenced` if it is another one's by now, `conflict` if a fork reads those events.
  virtual result<std::int64_t> remove_through(
      const session_key& session, std::int64_t epoch, std::int64_t through) = 0;
  /// The ids of the sessions that were forked from this one, and from those, the last of each line first.
  virtual result<std::vector<std::string>> forks_of(const session_key& session) = 0;
  /// The contents of blobs by name; what isn't there is left out.
  virtual result<std::map<std::string, std::string>> blobs(
      std::int32_t tenant, const std::vector<std::string>& names) = 0;
  /// The content of a blob that the session's log refers to. Errors: `not_found`.
  virtual result<std::string> blob_of(const session_key& session, const std::string& name) = 0;
  /// The chains that are stored, after `after` up to `through`, in order: each at the end of an append.
  virtual result<std::vector<log_place>> chains(
      const session_key& session, std::int64_t after, std::int64_t through) = 0;
  /// The session's head, and the chain there. Errors: `not_found`.
  virtual result<log_place> head(const session_key& session) = 0;
};

} // namespace troupe::persistence
