// The HTTP client against a server that refuses, stalls, cuts, babbles and lies.
#include "providers/http_client.hpp"
#include "tests/providers/raw_server.hpp"

#include <boost/test/unit_test.hpp>

#include <condition_variable>
#include <future>

namespace troupe::providers {

using namespace testing;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(http_client_and_hostile_servers)

namespace {

constexpr auto patience = 20s;
const std::string event_head =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const std::string ok_answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

std::string chunk(std::string_view bytes) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + std::string(bytes) + "\r\n";
}

class recorder final : public http_reader {
 public:
  explicit recorder(bool uses_credit = false) : uses_credit_(uses_credit) {}
  void on_head(const http_head& head) override {
    std::lock_guard guard(mutex_);
    head_ = head;
    changed_.notify_all();
  }
  http_taken on_body(std::string_view bytes) override {
    std::lock_guard guard(mutex_);
    body_ += bytes;
    ++pieces_;
    changed_.notify_all();
    return {.used_credit = uses_credit_, .complete = bytes.find("[DONE]") != std::string::npos};
  }
  void on_end(std::optional<http_failure> failed) override {
    std::lock_guard guard(mutex_);
    failed_ = std::move(failed);
    ++ends_;
    changed_.notify_all();
  }
  template <class Condition> bool wait(Condition condition) {
    std::unique_lock guard(mutex_);
    return changed_.wait_for(guard, patience, [&] { return condition(*this); });
  }
  template <class Condition> bool changes_within(std::chrono::milliseconds time, Condition condition) {
    std::unique_lock guard(mutex_);
    return changed_.wait_for(guard, time, [&] { return condition(*this); });
  }
  recorder& ended() {
    BOOST_REQUIRE(wait([](const recorder& now) { return now.ends_ > 0; }));
    return *this;
  }
  std::optional<http_failure::kind> failure_kind() {
    ended();
    return failed_ ? std::optional(failed_->what) : std::nullopt;
  }
  void fails(http_failure::kind expected, std::string_view words) {
    ended();
    BOOST_REQUIRE(failed_.has_value());
    BOOST_TEST((failed_->what == expected), failed_->detail);
    BOOST_TEST(failed_->detail.find(words) != std::string::npos, failed_->detail);
    BOOST_TEST(ends_ == 1);
  }

  http_head head_;
  std::string body_;
  int pieces_ = 0;
  int ends_ = 0;
  std::optional<http_failure> failed_;

 private:
  bool uses_credit_;
  std::mutex mutex_;
  std::condition_variable changed_;
};

struct fixture {
  std::shared_ptr<recorder> get(
      const raw_server& server, std::function<void(http_request&)> tune = {}, bool uses_credit = false) {
    auto reader = std::make_shared<recorder>(uses_credit);
    http_request request;
    request.to = {"127.0.0.1", server.port(), false};
    request.body = "{}";
    if (tune)
      tune(request);
    exchange = client.send(std::move(request), reader);
    return reader;
  }
  http_client client;
  std::shared_ptr<http_exchange> exchange;
};

/// A behaviour that answers each request of a connection with the same bytes.
raw_server::behaviour always(std::string answer) {
  return [answer = std::move(answer)](raw_connection& client, int) {
    while (!client.read_request().empty())
      client.write(answer);
  };
}

/// A behaviour that answers the first request with these bytes and closes.
raw_server::behaviour once(std::string answer) {
  return [answer = std::move(answer)](raw_connection& client, int) {
    client.read_request();
    client.write(answer);
    client.shut();
  };
}

} // namespace

BOOST_FIXTURE_TEST_CASE(a_refused_connection, fixture) {
  auto port = raw_server(always(ok_answer)).port(); // nobody listens there any more
  auto reader = std::make_shared<recorder>();
  http_request request;
  request.to = {"127.0.0.1", port, false};
  client.send(std::move(request), reader);
  reader->fails(http_failure::kind::connect, "127.0.0.1:" + std::to_string(port));
}

BOOST_FIXTURE_TEST_CASE(a_host_that_has_no_address, fixture) {
  auto reader = std::make_shared<recorder>();
  http_request request;
  request.to = {"no-such-host.invalid", 80, false};
  client.send(std::move(request), reader);
  reader->fails(http_failure::kind::connect, "no-such-host.invalid");
}

BOOST_FIXTURE_TEST_CASE(what_is_sent, fixture) {
  std::promise<std::string> seen;
  raw_server server([&](raw_connection& from, int) {
    seen.set_value(from.read_request());
    from.write(ok_answer);
  });
  auto reader = get(server, [](http_request& request) {
    request.target = "/v1/messages";
    request.fields = {{"x-api-key", "k"}};
    request.body = "hello";
  });
  BOOST_TEST(reader->ended().body_ == "ok");
  auto request = seen.get_future().get();
  BOOST_TEST(request
      == "POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1:" + std::to_string(server.port())
          + "\r\nuser-agent: troupe/0.1\r\naccept-encoding: identity\r\ncontent-length: 5\r\nx-api-key: "
            "k\r\n\r\nhello");
}

BOOST_FIXTURE_TEST_CASE(a_field_with_a_line_end_is_never_sent, fixture) {
  raw_server server(always(ok_answer));
  auto reader = get(server, [](http_request& request) { request.fields = {{"x-api-key", "k\r\nevil: 1"}}; });
  reader->fails(http_failure::kind::protocol, "x-api-key");
  BOOST_TEST(server.accepted() == 0);
}

BOOST_FIXTURE_TEST_CASE(no_first_byte, fixture) {
  raw_server server([](raw_connection& from, int) { from.wait_closed(); });
  get(server, [](http_request& request) {
    request.timeouts.first_byte = 50ms;
  })->fails(http_failure::kind::timeout, "no answer for 50 ms");
}

BOOST_FIXTURE_TEST_CASE(a_stall_in_the_middle, fixture) {
  raw_server server([](raw_connection& from, int) {
    from.read_request();
    from.write(event_head + chunk("data: a\n\n"));
    from.wait_closed();
  });
  auto reader = get(server, [](http_request& request) { request.timeouts.idle = 50ms; });
  reader->fails(http_failure::kind::timeout, "nothing more for 50 ms");
  BOOST_TEST(reader->body_ == "data: a\n\n");
}

BOOST_FIXTURE_TEST_CASE(a_server_that_drips_for_ever, fixture) {
  raw_server server([](raw_connection& from, int) {
    from.read_request();
    from.write(event_head);
    while (from.write(chunk(": ping\n\n")) && !from.left_within(1ms)) {
    }
  });
  get(server, [](http_request& request) {
    request.timeouts.total = 100ms;
  })->fails(http_failure::kind::timeout, "took longer than 100 ms");
}

BOOST_FIXTURE_TEST_CASE(cut_in_the_middle_and_before_anything, fixture) {
  raw_server middle(once(event_head + chunk("data: a\n\n") + "5\r\nab"));
  auto reader = get(middle);
  reader->fails(http_failure::kind::truncated, "broke off");
  BOOST_TEST(reader->body_ == "data: a\n\nab");
  raw_server head(once("HTTP/1.1 200 OK\r\ncontent-"));
  get(head)->fails(http_failure::kind::truncated, "broke off");
  raw_server nothing(once(""));
  get(nothing)->fails(http_failure::kind::network, "without an answer");
  raw_server broken([](raw_connection& from, int) {
    from.read_request();
    from.reset();
  });
  get(broken)->fails(http_failure::kind::network, "without an answer");
  raw_server sized(once("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"));
  get(sized)->fails(http_failure::kind::truncated, "broke off");
}

BOOST_FIXTURE_TEST_CASE(a_body_that_runs_to_the_end_is_whole, fixture) {
  raw_server server(once("HTTP/1.1 200 OK\r\n\r\nall of it"));
  auto reader = get(server);
  BOOST_TEST(!reader->failure_kind().has_value());
  BOOST_TEST(reader->body_ == "all of it");
}

BOOST_FIXTURE_TEST_CASE(garbage, fixture) {
  raw_server ssh(once("SSH-2.0-OpenSSH_9.2\r\n"));
  get(ssh)->fails(http_failure::kind::protocol, "isn't HTTP");
  raw_server chunks(once(event_head + chunk("data: a\n\n") + "zz\r\n"));
  auto reader = get(chunks);
  reader->fails(http_failure::kind::protocol, "broke HTTP");
  BOOST_TEST(reader->body_ == "data: a\n\n");
  raw_server huge(once("HTTP/1.1 200 OK\r\nx: " + std::string(100'000, 'a')));
  get(huge)->fails(http_failure::kind::protocol, "65536");
  raw_server switched(once("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
  get(switched)->fails(http_failure::kind::protocol, "another protocol");
  std::string interims;
  for (int i = 0; i < 20; ++i)
    interims += "HTTP/1.1 103 Early Hints\r\n\r\n";
  raw_server hints(once(interims));
  get(hints)->fails(http_failure::kind::protocol, "interim");
}

BOOST_FIXTURE_TEST_CASE(the_transcript_with_everything_in_pieces, fixture) {
  const std::string answer =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 "
      "OK\r\nContent-Type: text/event-stream;charset=utf-8\r\n"
      "Transfer-Encoding: chunked\r\n\r\n1f;x=1\r\n: hello\n\nevent: note\ndata: "
      "caf\xC3\r\n3\r\n\xA9\n\n\r\ne\r\ndata: [DONE]\n\n\r\n0\r\nX-Trace: done\r\n\r\n";
  raw_server server([&](raw_connection& from, int number) {
    for (std::string request = from.read_request(); !request.empty(); request = from.read_request())
      for (std::size_t at = 0; at < answer.size(); at += static_cast<std::size_t>(number))
        from.write(std::string_view(answer).substr(at, static_cast<std::size_t>(number)));
  });
  for (int i = 0; i < 3; ++i) {
    auto reader = get(server);
    BOOST_TEST(!reader->failure_kind().has_value());
    BOOST_TEST(reader->body_ == ": hello\n\nevent: note\ndata: caf\xC3\xA9\n\ndata: [DONE]\n\n");
    BOOST_TEST(reader->head_.media_type() == "text/event-stream");
  }
  BOOST_TEST(server.accepted() == 1); // the connection was used again
}

BOOST_FIXTURE_TEST_CASE(connections_that_may_not_be_used_again, fixture) {
  for (const std::string answer : {"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok",
           "HTTP/1.1 200 OK\r\ncontent-length: 9\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
           "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokmore"}) {
    raw_server server(always(answer));
    for (int i = 1; i <= 2; ++i) {
      BOOST_TEST(get(server)->ended().body_ == "ok");
      BOOST_TEST(server.accepted() == i);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_pooled_connection_that_died_is_replaced_once, fixture) {
  // the first connection dies when its second request comes, the others serve
  raw_server server([](raw_connection& from, int number) {
    for (int i = 1; !from.read_request().empty(); ++i) {
      if (number == 1 && i == 2)
        return from.reset();
      from.write(ok_answer);
    }
  });
  BOOST_TEST(get(server)->ended().body_ == "ok");
  auto reader = get(server);
  BOOST_TEST(!reader->failure_kind().has_value());
  BOOST_TEST(reader->body_ == "ok");
  BOOST_TEST(server.accepted() == 2);
}

BOOST_FIXTURE_TEST_CASE(a_pooled_connection_that_the_server_closed_is_not_used, fixture) {
  std::promise<void> closed;
  raw_server server([&](raw_connection& from, int number) {
    from.read_request();
    from.write(ok_answer);
    if (number == 1) {
      from.shut();
      closed.set_value();
    } else {
      from.wait_closed();
    }
  });
  BOOST_TEST(get(server)->ended().body_ == "ok");
  closed.get_future().wait();
  BOOST_TEST(get(server)->ended().body_ == "ok");
  BOOST_TEST(server.accepted() == 2);
}

BOOST_FIXTURE_TEST_CASE(a_fresh_connection_that_dies_is_not_replaced, fixture) {
  raw_server server(once(""));
  get(server)->fails(http_failure::kind::network, "without an answer");
  BOOST_TEST(server.accepted() == 1);
}

BOOST_FIXTURE_TEST_CASE(redirects_and_errors_are_answers, fixture) {
  raw_server server(
      always("HTTP/1.1 307 Temporary Redirect\r\nlocation: http://evil/\r\ncontent-length: 3\r\n\r\nbye"));
  auto reader = get(server);
  BOOST_TEST(reader->ended().head_.status == 307);
  BOOST_TEST(reader->body_ == "bye");
  BOOST_TEST(server.accepted() == 1);
  raw_server flood([](raw_connection& from, int) {
    from.read_request();
    from.write("HTTP/1.1 500 Oops\r\ntransfer-encoding: chunked\r\n\r\n");
    while (from.write(chunk(std::string(65536, 'x')))) {
    }
  });
  auto bounded = get(flood);
  BOOST_TEST(!bounded->failure_kind().has_value());
  BOOST_TEST(bounded->body_.size() == error_body_bytes_max);
}

BOOST_FIXTURE_TEST_CASE(an_early_refusal_of_a_big_request_is_read, fixture) {
  raw_server server([](raw_connection& from, int) {
    from.write("HTTP/1.1 413 Content Too Large\r\ncontent-length: 3\r\nconnection: close\r\n\r\nbig");
    from.wait_closed();
  });
  auto reader =
      get(server, [](http_request& request) { request.body = std::string(std::size_t{16} << 20, 'x'); });
  BOOST_TEST(!reader->failure_kind().has_value());
  BOOST_TEST(reader->head_.status == 413);
  BOOST_TEST(reader->body_ == "big");
}

BOOST_FIXTURE_TEST_CASE(after_the_answer_says_that_it_is_whole_its_end_matters_no_more, fixture) {
  raw_server silent([](raw_connection& from, int) {
    from.read_request();
    from.write(event_head + chunk("data: [DONE]\n\n"));
    from.reset();
  });
  auto reader = get(silent);
  reader->ended();
  BOOST_TEST(reader->body_ == "data: [DONE]\n\n"); // the decoder takes it as complete, however it ended
}

BOOST_FIXTURE_TEST_CASE(cancel_at_once_in_every_state, fixture) {
  std::promise<void> left;
  raw_server server([&](raw_connection& from, int) {
    from.read_request();
    from.write(event_head + chunk("data: a\n\n"));
    from.wait_closed();
    left.set_value();
  });
  auto streaming = get(server);
  BOOST_TEST(streaming->wait([](const recorder& now) { return !now.body_.empty(); }));
  exchange->cancel();
  streaming->fails(http_failure::kind::cancelled, "");
  left.get_future().wait();
  exchange->cancel();
  exchange->acknowledge(1);

  raw_server mute([](raw_connection& from, int) { from.wait_closed(); });
  auto waiting = get(mute);
  exchange->cancel();
  waiting->fails(http_failure::kind::cancelled, "");
}

BOOST_AUTO_TEST_CASE(cancel_of_one_that_waits_its_turn) {
  fixture one;
  raw_server mute([](raw_connection& from, int) { from.wait_closed(); });
  http_client narrow({.max_concurrent = 1});
  std::vector<std::shared_ptr<recorder>> readers;
  std::vector<std::shared_ptr<http_exchange>> exchanges;
  for (int i = 0; i < 3; ++i) {
    readers.push_back(std::make_shared<recorder>());
    http_request request;
    request.to = {"127.0.0.1", mute.port(), false};
    exchanges.push_back(narrow.send(std::move(request), readers.back()));
  }
  exchanges[1]->cancel();
  readers[1]->fails(http_failure::kind::cancelled, "");
  exchanges[0]->cancel();
  readers[0]->fails(http_failure::kind::cancelled, "");
  BOOST_TEST(readers[2]->ends_ == 0);
  exchanges[2]->cancel();
  readers[2]->fails(http_failure::kind::cancelled, "");
}

BOOST_FIXTURE_TEST_CASE(without_credit_nothing_is_read_and_no_timeout_runs, fixture) {
  constexpr std::size_t total = std::size_t{32} << 20; // more than the sockets' buffers hold
  std::atomic<std::size_t> written{0};
  raw_server server([&](raw_connection& from, int) {
    from.small_buffers();
    from.read_request();
    from.write(event_head);
    auto piece = chunk(std::string(16384, 'x'));
    for (std::size_t sent = 0; sent < total && from.write(piece); sent += 16384)
      written = from.written.load();
    from.write("0\r\n\r\n");
    from.wait_closed();
  });
  auto reader = get(
      server, [](http_request& request) { request.timeouts.idle = 100ms; }, true);
  BOOST_TEST(reader->wait([](const recorder& now) { return now.pieces_ == 4; })); // the credit it begins with
  // the server comes to a stand; three idle times later nothing has been read and nothing has failed
  for (auto before = std::size_t{1}; before != written.load();) {
    before = written.load();
    BOOST_TEST(
        !reader->changes_within(150ms, [](const recorder& now) { return now.pieces_ > 4 || now.ends_ > 0; }));
  }
  BOOST_TEST(written.load() < total);
  BOOST_TEST(reader->wait([](const recorder& now) { return now.pieces_ == 4 && now.ends_ == 0; }));
  exchange->acknowledge(3);
  BOOST_TEST(reader->wait([](const recorder& now) { return now.pieces_ == 7; }));
  exchange->acknowledge(1'000'000);
  BOOST_TEST(!reader->failure_kind().has_value());
  BOOST_TEST(reader->body_.size() == total);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers
