// A unix socket between a journal and its server that cuts the connection at the worst moment.
#pragma once

#include "tests/persistence/worlds.hpp"

#include <atomic>
#include <mutex>
#include <thread>

namespace troupe::persistence {

enum class cut {
  nothing,
  request,           ///< the next request doesn't reach the server
  answer,            ///< the next answer doesn't reach the journal; the server has done what it was asked
  request_unnoticed, ///< as `request`, but the connection stays open and silent
  answer_unnoticed,  ///< as `answer`, likewise
};

class cutting_proxy {
 public:
  /// `url` as `private_cluster::url_of` gives it.
  explicit cutting_proxy(const std::string& url);
  ~cutting_proxy();
  cutting_proxy(const cutting_proxy&) = delete;
  cutting_proxy& operator=(const cutting_proxy&) = delete;

  /// The same database through the proxy.
  const std::string& url() const { return url_; }
  /// Cuts once.
  void expect(cut what) { cut_ = what; }
  int cuts() const { return cuts_; }

 private:
  void serve();
  void forward(int client);
  bool takes(cut kind); ///< true if that is what was expected; it is met once
  temporary_directory directory_;
  std::string url_;
  std::string server_socket_;
  int listener_ = -1;
  int closed_[2] = {-1, -1}; ///< readable once the proxy ends
  std::atomic<cut> cut_{cut::nothing};
  std::atomic<int> cuts_{0};
  std::mutex mutex_;
  std::vector<std::thread> connections_;
  std::thread acceptor_;
};

} // namespace troupe::persistence
