// What the gym's connections share, and one connection.
#pragma once

#include "providers/gym/server.hpp"
#include "providers/gym/service.hpp"
#include "providers/http_parser.hpp"
#include "providers/transport.hpp"

#include <array>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_set>

namespace troupe::providers::gym {

class connection;

struct server::core : std::enable_shared_from_this<server::core> {
  struct hold {
    std::vector<std::weak_ptr<connection>> waiting;
    bool released = false; ///< before anybody came
  };

  struct asked_for {
    std::int64_t number = 0;
    std::string method;
    std::string path;
    std::string body;
  };

  std::unique_ptr<io_loop> loop; // first: what follows lives on it
  std::shared_ptr<listener> listening;
  std::string host;
  bool stopped = false; ///< by the owner

  // -- touched on the loop's thread only --
  std::optional<script> rules;
  std::unordered_set<std::shared_ptr<connection>> connections;
  bool closed = false;

  // -- shared with whoever asks --
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, hold> holds;
  std::deque<asked_for> kept;
  std::size_t kept_bytes = 0;
  std::int64_t asked = 0;
  std::size_t open = 0;

  void accept(std::shared_ptr<transport> stream);
  void forget(const std::shared_ptr<connection>& one);
  /// The number of the request.
  std::int64_t record(const http_head& head, std::string_view body);
  std::string requests() const;
  std::size_t release(const std::string& name);
  /// True if the stream must wait for `name`.
  bool held(const std::string& name, const std::shared_ptr<connection>& one);
};

/// One client: reads requests, answers each before the next.
class connection final : public std::enable_shared_from_this<connection> {
 public:
  connection(std::shared_ptr<server::core> server, std::shared_ptr<transport> stream)
      : server_(std::move(server)), stream_(std::move(stream)) {}
  void start() { read(); }
  void close();
  void go_on(); ///< with the answer, after a hold or a delay

 private:
  void read();
  void take_requests();
  void handle();
  void handle_inference();
  bool is_method(std::string_view method, std::string_view path);
  void send_document(int status, std::string_view body, std::string_view more_fields = {});
  void send_error(const service_error& error, std::string_view more_fields = {});
  void begin_stream();
  bool pause_at(const step& at);
  bool ends_at(const step& at);
  bool refuses_before_output() const;
  void finish_answer();
  void frame();
  void end_stream();
  void send();
  void sent();
  void invite();

  std::shared_ptr<server::core> server_;
  std::shared_ptr<transport> stream_;
  std::unique_ptr<http_parser> parser_ = std::make_unique<http_parser>(http_role::request, request_bytes_max);
  std::string body_;
  std::string unread_; ///< came while an answer was under way
  std::array<char, 16384> buffer_{};

  std::string out_; ///< for the socket, once it is free
  bool reading_ = false;
  bool writing_ = false;
  bool closed_ = false;
  bool close_after_ = false; ///< what is to be written

  // -- the request and its answer --
  bool invited_ = false; ///< to send its body
  bool busy_ = false;
  bool keep_alive_ = true;
  bool streaming_ = false;
  bool begun_ = false;       ///< the stream has its first event
  bool head_framed_ = false; ///< the answer's head is on its way
  bool answered_ = false;    ///< all of it is
  std::int64_t number_ = 0;
  std::vector<step> steps_;
  std::size_t at_ = 0;
  const service* service_ = &messages_service(); ///< whose words the answers are in
  std::unique_ptr<answer> answer_;
  std::string events_; ///< of the stream, not framed yet
  std::shared_ptr<timer> delay_;
};

} // namespace troupe::providers::gym
