// One request and its one answer.
#pragma once

#include "gateway/response.hpp"
#include "gateway/stream_source.hpp"
#include "messages/problem.hpp"

#include <atomic>
#include <memory>

namespace troupe::gateway {

/// Who waits for the answer. All calls from any thread; those for an exchange that is over do nothing.
class peer {
 public:
  virtual ~peer() = default;
  virtual void answer(std::uint64_t number, response what) = 0;
  virtual void stream(std::uint64_t number, response head, std::shared_ptr<stream_source> source) = 0;
  virtual void when_gone(std::uint64_t number, std::function<void()> work) = 0;
  virtual bool draining() const = 0;
};

/// Held by whoever owes the answer. From any thread; the first answer counts, later ones are dropped.
/// An exchange that is dropped without one is answered 500.
class exchange {
 public:
  /// `number` tells the exchanges of one peer apart.
  exchange(request asked, std::shared_ptr<peer> client, std::uint64_t number);
  ~exchange();
  exchange(const exchange&) = delete;
  exchange& operator=(const exchange&) = delete;

  const request& asked() const { return asked_; }

  /// False if it was answered before.
  bool answer(response what);
  bool answer(const problem& why);
  /// Answers 200 with a stream of events; `headers` are added to those that every stream has.
  bool stream(std::shared_ptr<stream_source> source, std::vector<header_field> headers = {});

  /// `work` runs once, on an I/O thread, if the client leaves before the answer. It must not hold the
  /// exchange: that would keep it from ever being dropped.
  void when_gone(std::function<void()> work);

  /// The server takes no new work.
  bool draining() const { return client_->draining(); }

 private:
  request asked_;
  std::shared_ptr<peer> client_;
  std::uint64_t number_;
  std::atomic<bool> answered_{false};
};

} // namespace troupe::gateway
