// Every call goes on to the journal below, until there is nobody who could call.
#include "tests/actors/dying_journal.hpp"

#include "tests/actors/gates.hpp"

namespace troupe::testing {

bool death::has_come() const {
  const std::lock_guard lock(mutex_);
  return come_;
}

bool death::wait() {
  std::unique_lock lock(mutex_);
  return comes_.wait_for(lock, patience, [&] { return come_; });
}

bool death::takes(const std::vector<persistence::append>& batch, moment when) {
  const std::lock_guard lock(mutex_);
  if (come_)
    return true;
  if (when != when_)
    return false;
  for (const auto& append : batch)
    for (const auto& event : append.events)
      if (event.type == type_ && --left_ == 0) {
        come_ = true;
        comes_.notify_all();
        return true;
      }
  return false;
}

namespace {

using namespace persistence;

problem dead() { return {problem_code::unavailable, "this process has died (a test)", {}}; }

class dying_journal final : public journal {
 public:
  dying_journal(std::shared_ptr<journal> inner, std::shared_ptr<death> when)
      : inner_(std::move(inner)), when_(std::move(when)) {}

  result<std::vector<append_outcome>> append_all(const std::vector<append>& batch) override {
    if (when_->takes(batch, moment::before))
      return dead();
    auto outcome = inner_->append_all(batch);
    return when_->takes(batch, moment::after) ? dead() : std::move(outcome);
  }

  result<std::int32_t> tenant(const std::string& name) override { return inner_->tenant(name); }
  result<timestamp> heartbeat(const node_identity& node, std::int64_t lease_ms) override {
    return alive<timestamp>([&] { return inner_->heartbeat(node, lease_ms); });
  }
  void leave(const node_identity& node) override {
    if (!when_->has_come())
      inner_->leave(node);
  }
  result<session_row> create(std::int32_t tenant, const std::string& id, const node_identity& node,
      const log_place& begins) override {
    return alive<session_row>([&] { return inner_->create(tenant, id, node, begins); });
  }
  result<std::int64_t> remove_through(
      const session_key& session, std::int64_t epoch, std::int64_t through) override {
    return alive<std::int64_t>([&] { return inner_->remove_through(session, epoch, through); });
  }
  result<session_row> fork(
      const session_row& parent, const log_place& cut, const std::string& id, const append& first) override {
    return alive<session_row>([&] { return inner_->fork(parent, cut, id, first); });
  }
  result<void> rename(const session_key& session, std::int64_t epoch, const std::string& id,
      const session_view& view) override {
    return when_->has_come() ? result<void>(dead()) : inner_->rename(session, epoch, id, view);
  }
  result<taken_session> take(std::int32_t tenant, const std::string& id, const node_identity& node,
      std::int32_t snapshot_version) override {
    return alive<taken_session>([&] { return inner_->take(tenant, id, node, snapshot_version); });
  }
  void keep(const session_key& session, const snapshot& folded) override {
    if (!when_->has_come())
      inner_->keep(session, folded);
  }
  result<std::optional<kept_snapshot>> snapshot_before(
      const session_key& session, std::int64_t seq, std::int32_t version) override {
    return alive<std::optional<kept_snapshot>>(
        [&] { return inner_->snapshot_before(session, seq, version); });
  }
  bool release(const session_key& session, std::int64_t epoch) override {
    return !when_->has_come() && inner_->release(session, epoch);
  }
  void stop() override { inner_->stop(); }
  result<std::optional<erasure>> erase(std::int32_t tenant, const std::string& id, const node_identity& node,
      std::optional<session_hold> hold) override {
    return when_->has_come() ? result<std::optional<erasure>>(dead()) : inner_->erase(tenant, id, node, hold);
  }
  result<std::vector<std::string>> forks_of(const session_key& session) override {
    return inner_->forks_of(session);
  }

  // what only reads
  result<session_row> find(std::int32_t tenant, const std::string& id) override {
    return inner_->find(tenant, id);
  }
  result<std::vector<session_row>> list(std::int32_t tenant, const std::string& status, std::size_t limit,
      const std::optional<page_mark>& page) override {
    return inner_->list(tenant, status, limit, page);
  }
  result<std::vector<session_row>> due(const node_identity& node, std::size_t limit, std::int32_t tenant,
      const std::vector<std::string>& except) override {
    return inner_->due(node, limit, tenant, except);
  }
  result<std::vector<recorded_event>> read(const session_key& session, std::int64_t after, std::size_t limit,
      const std::vector<std::string>& types) override {
    return inner_->read(session, after, limit, types);
  }
  result<std::vector<recorded_event>> read_these(
      const session_key& session, const std::vector<std::int64_t>& seqs) override {
    return inner_->read_these(session, seqs);
  }
  result<std::map<session_key, std::int64_t>> heads(const std::vector<session_key>& sessions) override {
    return inner_->heads(sessions);
  }
  result<std::map<std::string, std::string>> blobs(
      std::int32_t tenant, const std::vector<std::string>& names) override {
    return inner_->blobs(tenant, names);
  }
  result<std::string> blob_of(const session_key& session, const std::string& name) override {
    return inner_->blob_of(session, name);
  }
  result<bool> is_held(std::int32_t tenant, const std::string& id) override {
    return inner_->is_held(tenant, id);
  }
  result<std::vector<log_place>> chains(
      const session_key& session, std::int64_t after, std::int64_t through) override {
    return inner_->chains(session, after, through);
  }
  result<log_place> head(const session_key& session) override { return inner_->head(session); }

 private:
  template <class T, class Call> result<T> alive(Call go) {
    if (when_->has_come())
      return dead();
    return go();
  }

  std::shared_ptr<journal> inner_;
  std::shared_ptr<death> when_;
};

} // namespace

std::shared_ptr<persistence::journal> make_dying_journal(
    std::shared_ptr<persistence::journal> inner, std::shared_ptr<death> when) {
  return std::make_shared<dying_journal>(std::move(inner), std::move(when));
}

} // namespace troupe::testing
