// One exchange of the HTTP client: its states, and what the client shares between exchanges.
//
//   waiting ──turn──▶ connecting ──▶ sending and reading ──▶ done
//                          ▲ a pooled connection skips this     │
//                          └── once, if it turns out dead ──────┘
#pragma once

#include "providers/http_client.hpp"
#include "providers/http_parser.hpp"

#include <atomic>
#include <deque>
#include <map>
#include <unordered_map>

namespace troupe::providers {

class exchange;

/// What all exchanges of a client share; touched on the loop's thread only.
struct http_client::core : std::enable_shared_from_this<http_client::core> {
  struct idle_connection {
    std::shared_ptr<transport> stream;
    steady_time since;
  };

  http_client_settings settings;
  std::weak_ptr<io_loop> loop;
  std::unordered_map<exchange*, std::shared_ptr<exchange>>
      active; ///< owned here: without credit nothing else holds one
  std::deque<std::shared_ptr<exchange>> waiting;
  std::map<endpoint, std::vector<idle_connection>> idle; ///< of each host, the newest last
  std::shared_ptr<timer> sweep;
  std::string piece; ///< what one read brought; here, so that its memory is used again
  bool closed = false;

  void begin(std::shared_ptr<exchange> next);
  void ended(exchange& one);
  void begin_waiting();
  std::shared_ptr<transport> take_idle(const endpoint& to);
  void give_back(const endpoint& to, std::shared_ptr<transport> stream);
  void sweep_later();
  void drop_old();
  void close();
};

class exchange final : public http_exchange, public std::enable_shared_from_this<exchange> {
 public:
  exchange(
      std::shared_ptr<http_client::core> client, http_request request, std::shared_ptr<http_reader> reader);
  void acknowledge(std::size_t pieces) override;
  void cancel() override;

  // The rest is for the loop's thread.
  void start();
  void end(std::optional<http_failure> failed);
  bool is_done() const { return done_; }

 private:
  void connect();
  void connected(const io_outcome& outcome);
  void send();
  void read();
  void took(const io_outcome& outcome, std::size_t bytes);
  void feed(std::string_view bytes);
  bool take_head();
  bool deliver();
  void broken(const io_outcome& outcome);
  void finish_whole(bool more_came);
  void close(bool reusable);
  void expire_in(std::chrono::milliseconds time);
  std::string head_text() const;
  std::string peer() const; ///< for messages

  std::shared_ptr<http_client::core> client_;
  std::weak_ptr<io_loop> loop_;
  http_request request_;
  std::shared_ptr<http_reader> reader_;
  std::shared_ptr<transport> stream_;
  std::unique_ptr<http_parser> parser_;
  std::shared_ptr<char[]> buffer_;         ///< held by the read too, which may outlive the exchange's end
  steady_time expires_ = transport::never; ///< of the whole exchange

  std::atomic<std::int64_t> credit_;
  std::atomic<bool> stalled_{false}; ///< out of credit, and no read is under way
  std::atomic<bool> done_{false};
  std::size_t error_bytes_ = 0;
  int interims_ = 0;
  bool reused_ = false;
  bool retried_ = false;
  bool written_ = false;
  bool answered_ = false; ///< some byte of an answer has come
  bool head_told_ = false;
  bool complete_ = false;
};

} // namespace troupe::providers
