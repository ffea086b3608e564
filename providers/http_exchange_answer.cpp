// The answer's side of an exchange: framing, interim answers, bounds, and the ways it can break.
#include "providers/http_exchange.hpp"

#include <algorithm>

namespace troupe::providers {

namespace {

constexpr int interims_max = 16;

bool is_success(int status) { return status >= 200 && status <= 299; }

} // namespace

void exchange::took(const io_outcome& outcome, std::size_t bytes) {
  if (done_)
    return;
  if (!outcome.ok())
    return broken(outcome);
  answered_ = true;
  feed({buffer_.get(), bytes});
}

void exchange::feed(std::string_view bytes) {
  client_->piece.clear();
  while (!bytes.empty()) {
    auto used = parser_->feed(bytes, client_->piece);
    if (!used) {
      // what came whole before it is passed on; the framing's fault is told after it
      auto failed =
          http_failure{http_failure::kind::protocol, peer() + " broke HTTP: " + used.error().detail};
      if (head_told_ || take_head())
        deliver();
      return end(std::move(failed));
    }
    bytes.remove_prefix(*used);
    if (parser_->head_done() && !head_told_ && !take_head())
      return;
    if (parser_->done() || *used == 0)
      break;
  }
  if (!deliver())
    return;
  if (parser_->done())
    return finish_whole(!bytes.empty());
  read();
}

// Interim answers are passed over. False if the exchange has ended.
bool exchange::take_head() {
  const auto& head = parser_->head();
  if (!parser_->head_done())
    return false;
  if (head.status < 200) {
    if (head.status == 101 || ++interims_ > interims_max) {
      end(http_failure{http_failure::kind::protocol,
          peer() + " answered with "
              + (head.status == 101 ? "another protocol" : "interim answers without end")});
      return false;
    }
    parser_ = std::make_unique<http_parser>(http_role::response);
    return true;
  }
  head_told_ = true;
  reader_->on_head(head);
  return true;
}

// Hands over what this read brought. False if the exchange has ended.
bool exchange::deliver() {
  auto& piece = client_->piece;
  if (!head_told_ || piece.empty())
    return true;
  auto full = false;
  if (!is_success(parser_->head().status)) {
    full = error_bytes_ + piece.size() >= error_body_bytes_max;
    piece.resize(std::min(piece.size(), error_body_bytes_max - error_bytes_));
    error_bytes_ += piece.size();
  }
  auto taken = reader_->on_body(piece);
  if (taken.stop) {
    reader_.reset();
    end(std::nullopt);
    return false;
  }
  if (full) {
    end(std::nullopt);
    return false;
  }
  credit_ -= taken.used_credit ? 1 : 0;
  complete_ = complete_ || taken.complete;
  return true;
}

void exchange::broken(const io_outcome& outcome) {
  if (outcome.fault == io_fault::timed_out) {
    auto late = std::chrono::steady_clock::now() >= expires_;
    auto limit = late ? request_.timeouts.total
        : answered_   ? request_.timeouts.idle
                      : request_.timeouts.first_byte;
    return end(http_failure{http_failure::kind::timeout,
        peer()
            + (late             ? " took longer than "
                    : answered_ ? " sent nothing more for "
                                : " sent no answer for ")
            + std::to_string(limit.count()) + " ms"});
  }
  if (!answered_) {
    if (reused_ && !retried_) {
      retried_ = true;
      stream_->close();
      return connect();
    }
    return end(http_failure{http_failure::kind::network,
        peer() + " closed the connection without an answer"
            + (outcome.detail.empty() ? "" : ": " + outcome.detail)});
  }
  if (outcome.fault == io_fault::closed && head_told_ && parser_->finish())
    return finish_whole(true);
  end(http_failure{http_failure::kind::truncated,
      peer() + " broke off in the middle of its answer"
          + (outcome.detail.empty() ? "" : ": " + outcome.detail)});
}

void exchange::finish_whole(bool more_came) {
  close(!more_came && written_ && parser_->keep_alive());
  end(std::nullopt);
}

} // namespace troupe::providers
