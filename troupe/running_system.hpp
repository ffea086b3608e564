// What stands behind a system and the handles on its sessions: the node, for as long as it runs.
#pragma once

#include "actors/reception.hpp"
#include "actors/waiting.hpp"
#include "troupe/composition.hpp"
#include "troupe/text_follower.hpp"

#include <troupe/answers.hpp>

namespace troupe::library {

problem system_has_ended();

/// The continuation, held apart from the node's threads: what it throws is logged and goes no further, and it
/// is told that the system has ended when whatever could have called it is gone.
template <class T> then<T> contained(then<T> answer);
void tell_thrown(const std::exception_ptr& what);

class running_system {
 public:
  /// Errors: those of the database, the providers and the tools.
  static result<std::shared_ptr<running_system>> start(config::configuration settings,
      const std::vector<std::shared_ptr<tools::tool>>& tools, bool takes_over,
      std::chrono::milliseconds rest);
  ~running_system();
  running_system(const running_system&) = delete;
  running_system& operator=(const running_system&) = delete;

  /// Lets go of every session; asked for later is answered with `system_has_ended`. Once.
  void end();

  /// Asks the desk, unless the system has ended.
  template <class T, class Ask> void ask(Ask question, then<T> answer) {
    const borrowed_node node(*this);
    if (!node)
      return contained<T>(std::move(answer))(system_has_ended());
    question(*desk_, then<T>([this, answer = contained<T>(std::move(answer))](result<T> got) {
      // nobody has taken it: this system lets go of it
      const bool let_go = !got && got.error().code == problem_code::fenced && is_ending();
      let_go ? answer(system_has_ended()) : answer(std::move(got));
    }));
  }
  /// The same; waits for the answer.
  template <class T, class Ask> result<T> wait(Ask question);

  /// Calls `told` with the text of what comes in that session from now on.
  result<void> follow_text(const std::string& session, std::function<void(std::string_view)> told);
  /// Returns when whoever follows the session's text was told what came up to `seq`, or the time is up.
  void wait_for_text(
      const std::string& session, std::int64_t seq, std::chrono::steady_clock::time_point until);

  const config::configuration& settings() const { return settings_; }

  /// A stream that is null when the node is gone. Asked while the node is borrowed.
  using open_stream_of_node = std::unique_ptr<actors::live_stream>;
  result<std::shared_ptr<open_stream_of_node>> open_stream(
      const persistence::session_key& session, std::int64_t after, bool follow);
  void close_stream(const std::shared_ptr<open_stream_of_node>& stream);

  /// The node, which doesn't end while it is borrowed.
  class borrowed_node {
   public:
    explicit borrowed_node(running_system& of);
    ~borrowed_node();
    borrowed_node(const borrowed_node&) = delete;
    borrowed_node& operator=(const borrowed_node&) = delete;
    explicit operator bool() const { return node_ != nullptr; }
    actors::node* operator->() const { return node_; }

   private:
    running_system& of_;
    actors::node* node_;
  };

 private:
  running_system(config::configuration settings, database opened);
  bool is_ending();
  next_item texts_of(const persistence::session_row& row);

  const config::configuration settings_;
  database database_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::size_t borrowed_ = 0;
  bool ended_ = false;
  std::unique_ptr<actors::node> node_;
  std::unique_ptr<actors::reception> desk_; ///< what it has asked is answered while the node ends
  std::multimap<std::string, std::unique_ptr<text_follower>> followers_;
  std::vector<std::weak_ptr<open_stream_of_node>> streams_;
};

template <class T> then<T> contained(then<T> answer) {
  struct told_once {
    then<T> answer;
    void tell(result<T> got) {
      try {
        std::exchange(answer, nullptr)(std::move(got));
      } catch (...) {
        tell_thrown(std::current_exception());
      }
    }
    ~told_once() {
      if (answer)
        tell(system_has_ended());
    }
  };
  const auto once = std::make_shared<told_once>();
  once->answer = std::move(answer);
  return [once](result<T> got) { once->tell(std::move(got)); };
}

template <class T, class Ask> result<T> running_system::wait(Ask question) {
  return actors::waited<T>([&](auto answer) { ask<T>(std::move(question), std::move(answer)); });
}

} // namespace troupe::library
