// The class behind `make_memory_journal`, for the files that it is spread over: who owns what
// (memory_journal.cpp), reading (memory_reads.cpp).
#pragma once

#include "persistence/memory_database.hpp"

namespace troupe::persistence {

class memory_journal final : public journal {
 public:
  memory_journal(std::shared_ptr<memory_store> store, patience waiting)
      : store_(std::move(store)), database_(*store_->database_), appends_(database_),
        commit_(appends_, std::move(waiting)) {}

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
  void keep(const session_key& key, const snapshot& folded) override;
  result<std::optional<kept_snapshot>> snapshot_before(
      const session_key& key, std::int64_t seq, std::int32_t version) override;
  result<std::optional<erasure>> erase(std::int32_t tenant, const std::string& id, const node_identity& node,
      std::optional<session_hold> hold) override;
  result<std::int64_t> remove_through(
      const session_key& session, std::int64_t epoch, std::int64_t through) override;
  result<std::vector<std::string>> forks_of(const session_key& session) override;
  bool release(const session_key& key, std::int64_t epoch) override;
  result<std::vector<append_outcome>> append_all(const std::vector<append>& batch) override;
  void stop() override;
  result<session_row> find(std::int32_t tenant, const std::string& id) override;
  result<std::vector<session_row>> list(std::int32_t tenant, const std::string& status, std::size_t limit,
      const std::optional<page_mark>& page) override;
  result<std::vector<session_row>> due(const node_identity& node, std::size_t limit, std::int32_t tenant,
      const std::vector<std::string>& except) override;
  result<std::vector<recorded_event>> read(const session_key& session, std::int64_t after, std::size_t limit,
      const std::vector<std::string>& types) override;
  result<std::vector<recorded_event>> read_these(
      const session_key& session, const std::vector<std::int64_t>& seqs) override;
  result<std::map<session_key, std::int64_t>> heads(const std::vector<session_key>& sessions) override;
  result<std::map<std::string, std::string>> blobs(
      std::int32_t tenant, const std::vector<std::string>& names) override;
  result<std::string> blob_of(const session_key& key, const std::string& name) override;
  result<bool> is_held(std::int32_t tenant, const std::string& id) override;
  result<std::vector<log_place>> chains(
      const session_key& session, std::int64_t after, std::int64_t through) override;
  result<log_place> head(const session_key& session) override;

 private:
  std::optional<problem> held_by_another(const memory_session& session, const node_identity& node) const;
  session_row row_of(const memory_session& session) const;

  std::shared_ptr<memory_store> store_;
  memory_database& database_;
  memory_append_store appends_;
  group_commit commit_;
};

problem no_such_session(const std::string& id);

} // namespace troupe::persistence
