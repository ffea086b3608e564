// The two queues of a session: what waits in them, and the actor of each while it has something to do.
//
//   enter ──▶ spawned, if there is none ──▶ post ──▶ read ──▶ answered ──▶ leaves, if none is on its way
//
// So a session at rest has no actors for them. Posts are counted on their way to a queue's actor, under the
// lock under which it leaves: none comes to one that has left, or to a second one beside the first.
#pragma once

#include "session/inputs.hpp"

#include <caf/actor.hpp>

#include <functional>
#include <mutex>
#include <set>

namespace troupe::actors {

/// For any thread.
class session_queues {
 public:
  /// Of a session as it was loaded; null: of one without events.
  session_queues(const session::state* loaded, std::shared_ptr<const session::look_ups> known);

  const session::look_ups& known() const { return *known_; }

  // -- of whoever posts --
  /// The queue's actor, for one post that is sent to it at once; `spawn` makes one where there is none.
  /// Null when the session leaves: whoever posts looks for it anew.
  caf::actor enter(delivery which, const std::function<caf::actor()>& spawn);

  // -- of a queue's actor --
  void has_read(delivery which);
  struct room {
    std::size_t waiting = 0; ///< without the message that asks, which takes no more room than it has
    bool closed = false;
  };
  room room_for(delivery which, const std::string& message_id) const;
  /// True if it didn't wait before.
  bool admit(delivery which, const std::string& message_id);
  void withdraw(delivery which, const std::string& message_id);
  /// Right before the agent is told of a message.
  void tells_agent();
  /// True: no post is on its way, and the actor is the queue's no more; it ends.
  bool leave(delivery which);
  /// However it ended: the next post gets another one.
  void ended(delivery which, caf::actor_id who);

  // -- of the agent --
  /// These wait no more, in whichever queue.
  void forget(const std::vector<std::string>& message_ids);
  /// The session takes no more messages.
  void close();
  /// It does again: it could not be closed.
  void open();
  /// Nothing is on its way or under way in them.
  bool is_quiet() const;
  bool is_closed() const;
  /// Ends, if nothing is on its way or under way, and the agent has heard of so many messages as it was
  /// told of. After that there is nothing to wait for.
  bool end_if_quiet(std::int64_t heard);
  /// No post is let in any more. What is on its way or under way is answered by its own append, which knows
  /// what became of it, and with the last of them the actors end.
  void end();
  /// True once no post is let in any more: the agent is on its way out.
  bool over() const;

 private:
  struct place {
    std::set<std::string> waiting;
    caf::actor actor;       ///< null while there is nothing to do
    std::size_t coming = 0; ///< posts that it hasn't read yet
  };
  place& at(delivery which) { return which == delivery::steer ? steer_ : sends_; }
  const place& at(delivery which) const { return which == delivery::steer ? steer_ : sends_; }

  mutable std::mutex mutex_;
  std::shared_ptr<const session::look_ups> known_;
  place steer_;
  place sends_;
  std::int64_t told_ = 0; ///< messages that the agent was told of
  bool closed_ = false;
  bool over_ = false;
};

} // namespace troupe::actors
