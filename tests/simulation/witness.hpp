// Who watches the store: every append is judged as it lands, by rules that the machine doesn't share.
#pragma once

#include "session/replay/verifier.hpp"
#include "tests/simulation/ground.hpp"
#include "tests/support/log_rules.hpp"

#include <map>
#include <set>

namespace troupe::simulation {

/// What a session's log says so far, and the indexes that questions are answered from.
struct watched_log {
  watched_log(std::string session, session::verifier::content_source contents);

  std::string id;
  std::optional<persistence::session_key> key;
  std::vector<recorded_event> recorded;
  std::vector<event> events;
  session::state state;
  session::verifier again; ///< decides all of it again, from the log alone
  testing::log_checker rules;

  std::set<std::pair<std::string, std::int64_t>> started; ///< execution and attempt
  std::map<std::string, json::raw> arguments;             ///< by execution, as the newest attempt was started
  std::set<std::string> receipts;
  std::map<std::string, std::int64_t> reruns; ///< verdicts, by execution
  std::set<std::string> inferences;
};

class witness {
 public:
  explicit witness(ground& on);

  /// Judges what was appended since the last look.
  void look();
  watched_log& log_of(const std::string& session);
  std::map<std::string, watched_log>& logs() { return logs_; }
  const session::look_ups& known() const { return known_; }
  persistence::journal& reader() { return *reader_; }
  std::optional<persistence::session_row> row(const std::string& session);
  void expect(const std::string& session) { log_of(session); }

  // -- what was promised to somebody --
  void posted(const std::string& session, const accept_message& message, std::int64_t seq);
  void decided(const std::string& session, const decide_permission& given);
  void resolved(const std::string& session, const give_verdict& given);
  void answered(const std::string& session, const client_result& given);
  void made_smaller(const std::string& session, std::int64_t seq);
  void stopped(const std::string& session, const std::string& run);
  void seen(const std::string& session, const session::state& live);

  /// In the end: the chain, every place to recover from, snapshots, promises.
  void judge_all();

 private:
  void take(watched_log& log, std::vector<recorded_event> events);
  void judge_append(watched_log& log, std::size_t first, std::size_t count);
  void remember(watched_log& log, const event& happened);
  void recovers(const watched_log& log);
  void judge(watched_log& log);
  std::optional<std::string> content(const std::string& name);
  void broken(const watched_log& log, const std::string& what);

  ground& on_;
  std::unique_ptr<persistence::journal> reader_;
  session::look_ups known_;
  std::map<std::string, watched_log> logs_;
  std::map<std::string, std::map<std::string, std::int64_t>> promised_; ///< seq by message id, by session
  std::size_t writes_seen_ = 0;
};

} // namespace troupe::simulation
