// Every call goes on to the memory journal, unless it is its turn to go wrong.
#include "tests/simulation/troubled_journal.hpp"

namespace troupe::simulation {

namespace {

using namespace persistence;

problem away() { return {problem_code::unavailable, "the database is away (simulated)", {}}; }

enum class mishap { none, not_done, answer_lost };

class troubled_journal final : public journal {
 public:
  troubled_journal(ground& on, journal_place& where) : on_(on), where_(where) {
    patience waiting{std::chrono::milliseconds{0}, std::chrono::milliseconds{0}, {}};
    waiting.on_trouble = [this](const std::string&) { in_trouble(); };
    inner_ = make_memory_journal(on_.store, std::move(waiting));
  }

  result<std::int32_t> tenant(const std::string& name) override { return inner_->tenant(name); }

  result<timestamp> heartbeat(const node_identity& node, std::int64_t lease_ms) override {
    return call<timestamp>(
        [&]() -> result<timestamp> {
          auto answer = inner_->heartbeat(node, lease_ms);
          if (answer) // whether or not it is heard: what the store grants
            granted_until_ms_ = on_.now_ms + lease_ms;
          return answer;
        },
        [&] { where_.node.lease_until_ms = granted_until_ms_; });
  }
  void leave(const node_identity& node) override {
    if (!where_.node.dead)
      inner_->leave(node);
  }
  result<std::int64_t> remove_through(
      const session_key& session, std::int64_t epoch, std::int64_t through) override {
    on_.before_removal();
    return call<std::int64_t>([&] { return inner_->remove_through(session, epoch, through); });
  }
  result<session_row> create(std::int32_t tenant, const std::string& id, const node_identity& node,
      const log_place& begins) override {
    return call<session_row>([&] {
      auto made = inner_->create(tenant, id, node, begins);
      if (made)
        given_to_one(*made);
      return made;
    });
  }
  result<session_row> fork(
      const session_row& parent, const log_place& cut, const std::string& id, const append& first) override {
    return call<session_row>([&] { return inner_->fork(parent, cut, id, first); });
  }
  result<void> rename(const session_key& session, std::int64_t epoch, const std::string& id,
      const session_view& view) override {
    return inner_->rename(session, epoch, id, view);
  }
  result<taken_session> take(std::int32_t tenant, const std::string& id, const node_identity& node,
      std::int32_t snapshot_version) override {
    return call<taken_session>([&] {
      auto taken = inner_->take(tenant, id, node, snapshot_version);
      if (taken)
        given_to_one(taken->row);
      return taken;
    });
  }
  void keep(const session_key& session, const snapshot& folded) override {
    if (draw() == mishap::none)
      inner_->keep(session, folded);
  }
  result<std::optional<kept_snapshot>> snapshot_before(
      const session_key& session, std::int64_t seq, std::int32_t version) override {
    return call<std::optional<kept_snapshot>>([&] { return inner_->snapshot_before(session, seq, version); });
  }
  bool release(const session_key& session, std::int64_t epoch) override {
    const auto what = draw();
    const bool done = what != mishap::not_done && inner_->release(session, epoch);
    return done && what == mishap::none;
  }

  result<std::vector<append_outcome>> append_all(const std::vector<append>& batch) override {
    if (where_.node.dead)
      return away();
    if (on_.troubled && on_.luck.percent(where_.trouble) && on_.store->faults_to_meet() == 0)
      expect_faults();
    auto outcomes = inner_->append_all(batch);
    for (std::size_t i = 0; outcomes && i < batch.size(); ++i)
      if (std::holds_alternative<committed>((*outcomes)[i]))
        is_the_owners(batch[i]);
    return outcomes;
  }
  void stop() override { inner_->stop(); }

  result<session_row> find(std::int32_t tenant, const std::string& id) override {
    return call<session_row>([&] { return inner_->find(tenant, id); });
  }
  result<std::vector<session_row>> list(std::int32_t tenant, const std::string& status, std::size_t limit,
      const std::optional<page_mark>& page) override {
    return call<std::vector<session_row>>([&] { return inner_->list(tenant, status, limit, page); });
  }
  result<std::vector<session_row>> due(const node_identity& node, std::size_t limit, std::int32_t tenant,
      const std::vector<std::string>& except) override {
    return call<std::vector<session_row>>([&] { return inner_->due(node, limit, tenant, except); });
  }
  result<std::vector<recorded_event>> read(const session_key& session, std::int64_t after, std::size_t limit,
      const std::vector<std::string>& types) override {
    return call<std::vector<recorded_event>>([&] { return inner_->read(session, after, limit, types); });
  }
  result<std::vector<recorded_event>> read_these(
      const session_key& session, const std::vector<std::int64_t>& seqs) override {
    return call<std::vector<recorded_event>>([&] { return inner_->read_these(session, seqs); });
  }
  result<std::map<session_key, std::int64_t>> heads(const std::vector<session_key>& sessions) override {
    return call<std::map<session_key, std::int64_t>>([&] { return inner_->heads(sessions); });
  }
  result<std::optional<erasure>> erase(std::int32_t tenant, const std::string& id, const node_identity& node,
      std::optional<session_hold> hold) override {
    return where_.node.dead ? result<std::optional<erasure>>(away()) : inner_->erase(tenant, id, node, hold);
  }
  result<std::vector<std::string>> forks_of(const session_key& session) override {
    return call<std::vector<std::string>>([&] { return inner_->forks_of(session); });
  }
  result<std::map<std::string, std::string>> blobs(
      std::int32_t tenant, const std::vector<std::string>& names) override {
    return call<std::map<std::string, std::string>>([&] { return inner_->blobs(tenant, names); });
  }
  result<std::string> blob_of(const session_key& session, const std::string& name) override {
    return call<std::string>([&] { return inner_->blob_of(session, name); });
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
  mishap draw() {
    if (where_.node.dead)
      return mishap::not_done;
    if (!on_.troubled || !on_.luck.percent(where_.trouble))
      return mishap::none;
    return on_.luck.one_in(2) ? mishap::not_done : mishap::answer_lost;
  }

  template <class T, class Call, class Heard = void (*)()>
  result<T> call(
      Call go, Heard heard = +[] {}) {
    const auto what = draw();
    if (what == mishap::not_done)
      return away();
    auto answer = go();
    if (what == mishap::answer_lost)
      return away();
    heard();
    return answer;
  }

  // Also where nobody hears of it: whoever had the session before has lost it.
  void given_to_one(const session_row& row) {
    auto& newest = on_.epochs[row.key];
    newest = std::max(newest, row.epoch);
  }

  void is_the_owners(const append& stored) {
    if (const auto newest = on_.epochs[stored.session]; stored.epoch < newest)
      on_.broken("an append of epoch " + std::to_string(stored.epoch)
          + " was stored, though the session was given to " + "epoch " + std::to_string(newest));
  }

  // One or a few in a row, where none is waiting; `full` only as the first, since that alone is told of and
  // mended below.
  void expect_faults() {
    const std::vector<made_fault> kinds{made_fault::fail, made_fault::lose_answer, made_fault::lose_write,
        made_fault::write_late, made_fault::full};
    const std::size_t many = on_.luck.one_in(4) ? 1 + on_.luck.below(3) : 1;
    for (std::size_t i = 0; i < many; ++i) {
      const auto which = on_.luck.below(kinds.size() - (i == 0 ? 0 : 1));
      on_.story.tell("fault", where_.node.node, static_cast<std::int64_t>(which));
      on_.store->expect(kinds[which]);
    }
  }

  // In the middle of an append: the trouble ends, or the node does.
  void in_trouble() {
    on_.store->heal();
    if (!on_.troubled)
      return;
    if (on_.luck.one_in(3))
      on_.store->land();
    if (on_.luck.one_in(8)) {
      on_.story.tell("dies in an append", where_.node.node);
      where_.dies_now = true;
      inner_->stop();
    }
  }

  ground& on_;
  journal_place& where_;
  std::unique_ptr<journal> inner_;
  std::int64_t granted_until_ms_ = 0;
};

} // namespace

std::shared_ptr<persistence::journal> make_troubled_journal(ground& on, journal_place& where) {
  return std::make_shared<troubled_journal>(on, where);
}

} // namespace troupe::simulation
