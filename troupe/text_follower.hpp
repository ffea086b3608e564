// Tells the text of a session's answers as it comes, on a thread of its own.
#pragma once

#include "actors/stream_reading.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace troupe::library {

class text_follower {
 public:
  /// `stream` begins behind `after`.
  text_follower(std::unique_ptr<actors::live_stream> stream, std::int64_t after,
      std::function<void(std::string_view)> told);
  /// Returns when nobody is told anything any more.
  ~text_follower();

  /// Returns when what came up to `seq` is told, or nothing more will be; at once on the thread that tells.
  void wait_for(std::int64_t seq);

 private:
  void run(const std::function<void(std::string_view)>& told);
  void passed(std::int64_t seq);

  std::unique_ptr<actors::live_stream> stream_;
  std::mutex mutex_;
  std::condition_variable moved_;
  std::int64_t passed_;
  bool over_ = false;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

/// Of a block that comes in pieces, some of which may be missed or come twice: what is new in each.
class text_pieces {
 public:
  /// The text that nobody was told yet; empty for none.
  std::string_view fresh(const actors::stream_item& item);

 private:
  std::string_view fresh(
      const std::string& inference, std::int64_t block, std::size_t offset, std::string_view text);
  std::string inference_;
  std::int64_t block_ = -1;
  std::size_t told_ = 0;
  std::string whole_; ///< of a block that came as an event
};

} // namespace troupe::library
