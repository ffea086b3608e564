// What a reader of a session's stream puts together over many connections, held to what the stream
// promises: every committed event once and in order, and of a block no byte missing or twice.
#pragma once

#include "tests/served/answered.hpp"

#include <atomic>
#include <map>
#include <set>
#include <vector>

namespace troupe::testing {

class stream_account {
 public:
  /// A new connection: what is in the middle of coming is told anew.
  void connected() { live_.clear(); }
  void take(const sent_event& event);

  /// The last committed event, for `Last-Event-ID`; may be asked from another thread.
  std::int64_t last() const { return last_; }
  /// The committed events as they came.
  const std::vector<std::string>& events() const { return events_; }
  /// What broke a promise, in words.
  const std::vector<std::string>& breaches() const { return breaches_; }
  void breach(const std::string& what) { breaches_.push_back(what); }
  /// Blocks whose text came live, in one connection, and was the committed one.
  std::size_t blocks_joined() const { return blocks_joined_; }
  std::size_t partials() const { return partials_; }

 private:
  using place = std::pair<std::string, std::string>; ///< inference and block
  void take_committed(const sent_event& event);
  void take_delta(const sent_event& event);
  void take_partial(const sent_event& event);
  void take_block(const sent_event& event);

  std::atomic<std::int64_t> last_{0};
  std::vector<std::string> events_;
  std::vector<std::string> breaches_;
  std::map<place, std::string> live_; ///< of this connection
  std::map<place, std::string> seen_; ///< the most that came of a block which isn't committed
  std::size_t blocks_joined_ = 0;
  std::size_t partials_ = 0;
};

} // namespace troupe::testing
