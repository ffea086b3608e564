// The fleet's insides: what its files share.
#pragma once

#include "actors/agent/agent_actor.hpp"
#include "actors/fleet/fleet_actor.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/response_promise.hpp>

#include <set>

namespace troupe::actors {

class fleet_shell {
 public:
  fleet_shell(caf::event_based_actor* self, fleet_settings settings,
      std::shared_ptr<persistence::journal> journal, std::shared_ptr<node_parts> parts)
      : self_(self), settings_(std::move(settings)), journal_(std::move(journal)), parts_(std::move(parts)) {}

  caf::typed_response_promise<session_opened> open(const open_session& what);
  void down(const caf::actor_addr& who, const caf::error& reason);
  void reopen(const std::string& id);
  /// An agent has ended since its session only waits.
  void rests(const session_rests& what);
  void trimmed(const session_trimmed& what);
  void leave_now();
  bool takes_over() const { return settings_.takes_over; }
  void take_what_is_due();
  erased erase(const std::string& id);
  forked fork(const fork_session_at& what);
  caf::typed_response_promise<done> shut_down();

 private:
  struct held_session {
    std::shared_ptr<const session_here> here; ///< shared with the directory
    caf::actor agent;                         ///< null while it is to be loaded again
    bool can_ask = true;
    bool begun = false;       ///< its first event is committed
    std::int64_t deaths = 0;  ///< since a run last came to its end
    std::uint64_t lapses = 0; ///< of the node's lease, when it was about to be taken
    /// Who asked for it while its agent was on its way out.
    std::vector<std::pair<open_session, caf::typed_response_promise<session_opened>>> asked_while_ending;
  };

  // -- opening (fleet_opening.cpp) --
  void answer_when_begun(
      const std::string& id, session_opened opened, caf::typed_response_promise<session_opened> promise);
  session_opened load(const open_session& what, const std::string& recover_as);
  void hold(const session_opened& opened, bool can_ask);
  session_opened begin_new(const open_session& what, std::optional<persistence::session_row> row);
  session_opened go_on(
      const open_session& what, persistence::taken_session taken, const std::string& recover_as);
  std::shared_ptr<session_here> spawn(const persistence::session_row& row, agent_settings settings,
      const options& wanted, tools::offer offer, bool can_ask);

  /// Whoever looks for the session finds it from now on.
  void show(held_session& held);
  void let_go_if_it_moved(const held_session& held);
  void forget(std::map<std::string, held_session>::iterator held);
  /// Those who asked while its agent was ending are answered anew, after what is in the mailbox.
  void answer_asked(held_session& ended);

  // -- forks (fleet_forks.cpp) --
  result<options> options_of_fork(const session::state& cut, const fork_session_at& what) const;
  bool is_that_fork(const fork_session_at& what, const options& wanted) const;
  result<persistence::append> first_append(const session::state& cut, const fork_session& command) const;

  // -- lives (fleet_shell.cpp) --
  std::vector<std::string> put_off_now();
  void take_due(const std::string& id);
  void park(std::string id);
  /// Of a session whose `retention` is `context`: what came before it is removed. What fails is done the next
  /// time.
  void keep_context_alone(const session_rests& what);
  void let_go_of(const session_rests& what);
  /// The fact is the journal's; the session waits for somebody to `start` it.
  bool append_parked(const persistence::session_row& row, session::state& state, const std::string& reason);
  void left();

  caf::event_based_actor* self_;
  fleet_settings settings_;
  std::shared_ptr<persistence::journal> journal_;
  std::shared_ptr<node_parts> parts_;
  std::map<std::string, held_session> sessions_;
  std::uint64_t lapses_before_load_ = 0;
  /// Due sessions that couldn't be loaded, and when that is tried again.
  struct put_off {
    std::chrono::steady_clock::time_point until;
    std::chrono::seconds pause{1};
  };
  std::map<std::string, put_off> put_off_;
  /// Ours in the database, though nobody runs them: the database was away when they were let go of.
  std::set<std::string> owed_;
  std::int64_t trimming_ = 0; ///< sessions whose logs are being shortened
  std::optional<caf::typed_response_promise<done>> leaving_;
};

} // namespace troupe::actors
