// What the actors' tests play on: nodes over one memory store, a gym with a script, tools with gates.
#pragma once

#include "actors/node.hpp"
#include "persistence/memory_journal.hpp"
#include "providers/gym/server.hpp"
#include "tests/actors/gates.hpp"
#include "tests/support/must.hpp"

#include <functional>
#include <set>

namespace troupe::testing {

/// The code of a refusal; fails the test if there is none.
template <class T> std::string code_of(const result<T>& answer) {
  return answer ? "no refusal" : std::string(name_of(answer.error().code));
}

/// `hold {"name": NAME}` as a step of a script.
std::string hold_call(const std::string& name, const std::string& tool = "hold");

class stage {
 public:
  /// `rules`: the gym's script. The tools `hold`, `big` and `boom` are there; `tool` is one more.
  explicit stage(const std::string& rules, std::shared_ptr<tools::tool> tool = nullptr);

  /// As `gym` is configured.
  static actors::registered_provider provider_of(const providers::gym::server& gym);
  /// One more node on the store. Its lease is so long that it is renewed in no test.
  std::unique_ptr<actors::node> start(
      const std::string& name = "second", const std::function<void(actors::node_settings&)>& tune = {});
  /// The node that is there from the beginning.
  actors::node& node() { return *first_; }
  void close_first() { first_.reset(); }
  /// Opens or makes the session, with the stage's tools.
  actors::session_handle open(const std::string& id, const std::function<void(options&)>& tune = {});
  static options options_of(const std::string& id, const std::function<void(options&)>& tune = {});

  /// Waits until the store has met trouble `times` times in all.
  bool wait_for_trouble(std::size_t times = 1);

  // -- what the store holds --
  std::vector<recorded_event> stored(const std::string& id);
  std::vector<event> log(const std::string& id);
  /// The types, separated by blanks.
  std::string types(const std::string& id);
  std::size_t count(const std::string& id, const std::string& type);
  persistence::session_row row(const std::string& id);
  /// Empty if the log keeps every rule and its chain holds, else what is wrong.
  std::string wrong_with(const std::string& id, const std::set<std::string>& durable = {});

  std::shared_ptr<persistence::memory_store> store = std::make_shared<persistence::memory_store>();
  std::unique_ptr<providers::gym::server> gym;
  gate_board gates;

 private:
  std::unique_ptr<persistence::journal> reader_;
  std::vector<std::shared_ptr<tools::tool>> tools_;
  std::mutex mutex_;
  std::condition_variable troubled_;
  std::size_t troubles_ = 0;
  std::unique_ptr<actors::node> first_;
};

accept_message text_message(
    const std::string& text, const std::string& id = {}, delivery how = delivery::send);

/// Posts, and fails the test if it isn't accepted.
actors::acceptance say(actors::session_handle& session, const std::string& text, const std::string& id = {},
    delivery how = delivery::send);

/// Waits until the session is idle (or waits for somebody); fails the test if that takes too long.
session::state until_idle(actors::session_handle& session);
session::state until_attention(actors::session_handle& session);

/// Reads on until an event of this type comes; fails the test if it doesn't.
event await(actors::live_stream& stream, const std::string& type);

/// The events of one type.
template <class T> std::vector<T> all_of(const std::vector<event>& log) {
  std::vector<T> out;
  for (const auto& happened : log)
    if (const auto* const held = std::get_if<T>(&happened.data))
      out.push_back(*held);
  return out;
}

} // namespace troupe::testing
