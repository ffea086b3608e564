// Tells the text of a session's answers as it comes, on a thread of its own.
#pragma once

#include "actors/stream_reading.hpp"

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace troupe::library {

/// Gives the next item of a stream, or nothing when none came for a while; absent: the stream is over.
using next_item = std::function<std::optional<std::optional<actors::stream_item>>()>;

class text_follower {
 public:
  /// `next` gives what comes behind `after`.
  text_follower(next_item next, std::int64_t after, std::function<void(std::string_view)> told);
  /// Returns when nobody is told anything any more; but at once where it is called by who is told.
  ~text_follower();
  text_follower(const text_follower&) = delete;
  text_follower& operator=(const text_follower&) = delete;

  /// What is waited for: how far it was told.
  class progress {
   public:
    /// Returns when what came up to `seq` is told, or nothing more will be, or the time is up; at once on a
    /// thread that tells.
    void wait_for(std::int64_t seq, std::chrono::steady_clock::time_point until);
    void move_to(std::int64_t seq);
    void end();
    bool is_over();

   private:
    std::mutex mutex_;
    std::condition_variable moved_;
    std::int64_t told_ = 0;
    bool over_ = false;
  };
  const std::shared_ptr<progress>& how_far() const { return how_far_; }

 private:
  std::shared_ptr<progress> how_far_ = std::make_shared<progress>();
  std::thread thread_;
};

/// Of blocks that come in pieces, some of which may be missed or come twice: what is new in each.
class text_pieces {
 public:
  /// The text that nobody was told yet, until the next call; empty for none.
  std::string_view fresh(const actors::stream_item& item);

 private:
  using block_place = std::pair<std::string, std::int64_t>; ///< inference, index
  std::string_view fresh(const block_place& block, std::size_t offset, std::string_view text);
  std::string_view fresh(const recorded_event& stored);
  std::map<block_place, std::size_t> told_; ///< of answers that aren't over
  std::string whole_;                       ///< of a block that came as an event
};

} // namespace troupe::library
