// A session in the hands of a program.
#pragma once

#include "messages/commands.hpp"
#include "messages/message.hpp"
#include <troupe/agent_options.hpp>
#include <troupe/event_stream.hpp>

#include <chrono>

namespace troupe {

class async_agent;
class past_agent;
namespace library {
class running_system;
}

/// A handle: a value, cheap to copy, for any number of threads; many may point at one session. It holds
/// nothing of the session, which is loaded where something is asked of it, and let go of when it has rested.
///
/// Each call returns when what it did is committed. It throws `error`: `not_found` for a session that is
/// erased, `closed`, `owned_elsewhere` where another process has it, `unavailable` where the database or the
/// system is gone; and what is said at the call.
class agent {
 public:
  const std::string& id() const { return id_; }

  // -- work --

  /// Taken up when the agent would otherwise stop. Errors: `too_large`, `invalid_input` for a blank message,
  /// `conflict` for settings that the session can't change to.
  accepted send(content message, message_settings settings = {});
  /// Taken up as soon as the answer and its tools are done.
  accepted steer(content message, message_settings settings = {});
  /// As either, with all that a message can say; an id makes it safe to be sent again.
  accepted post(accept_message message);
  /// Goes on with what was cut off, failed or is held.
  void start();
  /// Takes what is queued, else asks the model again with the context as it is.
  void continue_run();
  /// Stops what runs; returns when it has ended. Nothing where nothing runs.
  void abort();
  /// Makes the context smaller: at once where the session is idle, else before the next inference.
  compacted compact();
  /// Empties the context, after what runs was aborted.
  void reset();
  /// Takes no more work; returns when what runs has ended.
  void close();
  /// Changes options, as `PATCH` does: a JSON object. Errors: `invalid_input` with the pointer.
  void update(const json::raw& changes);

  // -- decisions --

  /// What waits for somebody.
  std::vector<open_decision> decisions();
  /// Lets a call run; `arguments`: changed ones, valid by the tool's schema. The same answer twice succeeds.
  void allow(const std::string& decision_id, std::optional<json::raw> arguments = std::nullopt);
  void deny(const std::string& decision_id, std::string reason = {});
  /// What becomes of a call of which nobody knows whether it took effect.
  void give_verdict(const std::string& execution_id, verdict what);

  // -- waiting and following --

  standing look();
  /// Returns when the session is idle (or parked or closed), and whoever is told its text has heard all of
  /// it.
  standing wait_until_idle();
  /// The same; nothing when the time is up.
  std::optional<standing> wait_until_idle(std::chrono::milliseconds patience);
  /// Returns also when it waits for somebody to decide something; nothing when the time is up.
  std::optional<standing> wait_for_attention(std::chrono::milliseconds patience);
  event_stream events(event_range wanted = {});
  /// Calls `told` with each piece of an answer's text as it comes, from now on, on a thread of its own, until
  /// the session is erased or the system ends. It may wait there, and use agents, but not end the system. Of
  /// an answer that was cut off and begun anew the text comes again from its beginning.
  void on_text(std::function<void(std::string_view)> told);

  // -- the past --

  /// Exactly what the next inference would send.
  std::vector<message> context();
  /// As it was at an event. Errors come with what is asked of it: `invalid_input` beyond the head.
  past_agent at(std::int64_t seq) const;
  /// A session that goes on from event `at` of this one; `changes` (a JSON object) are options that it has
  /// instead. An empty id is made up. It has the same tools. Errors: `conflict` if the id exists.
  agent fork(std::int64_t at, std::string id = {}, const json::raw& changes = {});

  /// The same calls answered by continuations.
  async_agent async() const;

 private:
  friend class system;
  friend class async_agent;
  friend class past_agent;
  agent(std::shared_ptr<library::running_system> of, std::string id);
  void have_tools(const std::vector<std::string>& names);
  std::shared_ptr<library::running_system> of_;
  std::string id_;
};

/// A session as it was at one of its events.
class past_agent {
 public:
  std::int64_t seq() const { return seq_; }
  std::vector<message> context() const;
  agent fork(std::string id = {}, const json::raw& changes = {}) const;

 private:
  friend class agent;
  past_agent(agent of, std::int64_t seq) : of_(std::move(of)), seq_(seq) {}
  mutable agent of_;
  std::int64_t seq_;
};

/// An agent whose answers come by continuation (`then`), each exactly once; also where the system ends first,
/// with `unavailable`: whether it was done isn't known then.
class async_agent {
 public:
  void send(content message, then<accepted> answer) const { send(std::move(message), {}, std::move(answer)); }
  void send(content message, message_settings settings, then<accepted> answer) const;
  void steer(content message, then<accepted> answer) const {
    steer(std::move(message), {}, std::move(answer));
  }
  void steer(content message, message_settings settings, then<accepted> answer) const;
  void post(accept_message message, then<accepted> answer) const;
  void start(then<standing> answer) const;
  void continue_run(then<standing> answer) const;
  void abort(then<standing> answer) const;
  void compact(then<compacted> answer) const;
  void reset(then<std::int64_t> answer) const; ///< with the event's number
  void close(then<standing> answer) const;
  void update(json::raw changes, then<standing> answer) const;
  void decisions(then<std::vector<open_decision>> answer) const;
  void allow(std::string decision_id, std::optional<json::raw> arguments, then<standing> answer) const;
  void deny(std::string decision_id, std::string reason, then<standing> answer) const;
  void give_verdict(std::string execution_id, verdict what, then<standing> answer) const;
  void look(then<standing> answer) const;
  /// Absent when the time is up.
  void wait(bool attention, std::chrono::milliseconds patience, then<std::optional<standing>> answer) const;
  /// `at` absent: as it is now.
  void context(std::optional<std::int64_t> at, then<std::vector<message>> answer) const;
  void fork(std::int64_t at, std::string id, json::raw changes, then<agent> answer) const;

 private:
  friend class agent;
  explicit async_agent(agent of) : of_(std::move(of)) {}
  void order(command what, then<standing> answer) const;
  void answer_call(command what, then<standing> answer) const;
  agent of_;
};

} // namespace troupe
