// What is said to the persistence actors, which append, and to the archives, which read.
#pragma once

#include "actors/stream_hub/event_filling.hpp"

#include <functional>

namespace troupe::actors {

struct append_order {
  std::shared_ptr<const persistence::append> what;
};
struct append_answer {
  result<persistence::append_outcome> outcome = problem{};
};
struct flush_appends {};
struct read_events {
  persistence::session_key session;
  std::int64_t after = 0;
  std::int64_t limit = 0; ///< 0: all there are
};
struct read_answer {
  result<std::vector<recorded_event>> events = problem{};
};
/// A page as readers get it.
struct read_stream_page {
  persistence::session_key session;
  std::int64_t after = 0;
  std::int64_t limit = 0;
};
struct stream_page_answer {
  result<stream_page> page = problem{};
};
struct read_heads {
  std::vector<persistence::session_key> sessions;
};
struct heads_answer {
  result<std::map<persistence::session_key, std::int64_t>> heads = problem{};
};
/// Any other reading, on the archive's thread.
struct archive_errand {
  std::function<void(persistence::journal&)> what;
};
struct read_blobs {
  std::int32_t tenant = 0;
  std::vector<std::string> names;
};
struct blobs_answer {
  result<std::map<std::string, std::string>> blobs = problem{};
};

} // namespace troupe::actors
