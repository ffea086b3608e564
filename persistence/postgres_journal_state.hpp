// The class behind `open_postgres_journal`, for the files that it is spread over: appends
// (postgres_journal.cpp), rows of sessions (postgres_sessions.cpp), who owns what (postgres_leases.cpp),
// reading (postgres_reads.cpp).
#pragma once

#include "persistence/postgres_journal.hpp"
#include "persistence/postgres_store.hpp"

namespace troupe::persistence {

class postgres_journal final : public journal {
 public:
  explicit postgres_journal(postgres_settings settings);
  /// Connects and finds out whether the schema is there.
  result<void> connect();

  result<std::int32_t> tenant(const std::string& name) override;
  result<timestamp> heartbeat(const node_identity& node, std::int64_t lease_ms) override;
  void leave(const node_identity& node) override;
  result<session_row> create(std::int32_t tenant, const std::string& id, const node_identity& node,
      const log_place& begins) override;
  result<session_row> fork(
      const session_row& parent, const log_place& cut, const std::string& id, const append& first) override;
  result<void> rename(const session_key& session, std::int64_t epoch, const std::string& id,
      const session_view& view) override;
  result<taken_session> take(std::int32_t tenant, const std::string& id, const node_identity& node,
      std::int32_t snapshot_version) override;
  void keep(const session_key& session, const snapshot& folded) override;
  result<std::optional<kept_snapshot>> snapshot_before(
      const session_key& session, std::int64_t seq, std::int32_t version) override;
  bool release(const session_key& session, std::int64_t epoch) override;
  result<std::vector<append_outcome>> append_all(const std::vector<append>& batch) override;
  void stop() override;
  result<session_row> find(std::int32_t tenant, const std::string& id) override;
  result<std::vector<session_row>> list(std::int32_t tenant, const std::string& status, std::size_t limit,
      const std::optional<page_mark>& page) override;
  result<std::vector<session_row>> due(const node_identity& node, std::size_t limit, std::int32_t tenant,
      const std::vector<std::string>& except) override;
  result<std::vector<recorded_event>> read(const session_key& session, std::int64_t after, std::size_t limit,
      const std::vector<std::string>& types) override;
  result<void> read_payloads(const session_key& session, std::int64_t after, std::int64_t through,
      const std::vector<std::string>& types, const std::function<void(const seen_payload&)>& show) override;
  result<std::vector<recorded_event>> read_these(
      const session_key& session, const std::vector<std::int64_t>& seqs) override;
  result<std::map<session_key, std::int64_t>> heads(const std::vector<session_key>& sessions) override;
  result<std::optional<erasure>> erase(std::int32_t tenant, const std::string& id, const node_identity& node,
      std::optional<session_hold> hold) override;
  result<std::int64_t> remove_through(
      const session_key& session, std::int64_t epoch, std::int64_t through) override;
  result<std::vector<std::string>> forks_of(const session_key& session) override;
  result<std::string> blob_of(const session_key& session, const std::string& name) override;
  result<std::map<std::string, std::string>> blobs(
      std::int32_t tenant, const std::vector<std::string>& names) override;
  result<bool> is_held(std::int32_t tenant, const std::string& id) override;
  result<std::vector<log_place>> chains(
      const session_key& session, std::int64_t after, std::int64_t through) override;
  result<log_place> head(const session_key& session) override;

 private:
  /// Runs what may be repeated; tries again where that helps at once, never waits long.
  template <class Function>
  auto attempt(std::string_view doing, Function function)
      -> result<decltype(function(std::declval<database_connection&>()))> {
    return attempt_on_store(doing, [&] { return store_.on_connection(function); });
  }
  /// The same for what the store does on its connection by itself.
  template <class Function>
  auto attempt_on_store(std::string_view doing, Function function) -> result<decltype(function())> {
    constexpr int tries = 3;
    for (int i = 1;; ++i) {
      try {
        return function();
      } catch (const database_fault& fault) {
        const bool helps_at_once = fault.helps() == remedy::retry || fault.helps() == remedy::reconnect;
        if (!helps_at_once || i == tries)
          return to_problem(fault, doing);
      }
    }
  }
  struct session_owner {
    session_key key;
    std::int64_t epoch = 0;
    std::optional<node_identity> node;
    bool lease_holds = false;
    std::string lease_until;
  };
  result<session_owner> owner_of(std::int32_t tenant, const std::string& id);
  /// `owned_elsewhere` while another node that lives owns it.
  static std::optional<problem> held_by_another(
      const session_owner& owner, const std::string& id, const node_identity& node);
  result<session_row> forked_before(const session_row& parent, const log_place& cut, const std::string& id,
      const std::string& append_id, bool taken);
  result<session_row> made(const char* what, std::int32_t tenant, const std::string& id,
      const std::string& owner, std::int64_t head, const std::string& chain,
      const std::function<database_rows(database_connection&)>& insert);
  /// Everything that a session which was just taken has, checked.
  result<taken_session> load(
      session_row row, const std::string& chain_at_head, std::int32_t snapshot_version);

  postgres_store store_;
  group_commit commit_;
};

/// A session's row from the columns that sql.cpp names SESSION_ROW.
session_row session_row_of(const database_row& row);

} // namespace troupe::persistence
