// The promise of an exchange: exactly one answer, whoever forgets it.
#include "gateway/exchange.hpp"

#include "gateway/problem_document.hpp"
#include "telemetry/log.hpp"

namespace troupe::gateway {

namespace {
constexpr std::size_t logged_path_bytes_max = 200;
}

exchange::exchange(request asked, std::shared_ptr<peer> client, std::uint64_t number)
    : asked_(std::move(asked)), client_(std::move(client)), number_(number) {}

exchange::~exchange() {
  if (answered_.exchange(true))
    return;
  const auto path = std::string_view(asked_.target).substr(0, asked_.target.find('?'));
  telemetry::log(telemetry::level::error, "a request was dropped without an answer",
      {{"method", asked_.method}, {"path", std::string(path.substr(0, logged_path_bytes_max))}});
  client_->answer(number_, problem_document(problem{problem_code::internal, {}, {}}));
}

bool exchange::answer(response what) {
  if (answered_.exchange(true))
    return false;
  client_->answer(number_, std::move(what));
  return true;
}

bool exchange::answer(const problem& why) { return answer(problem_document(why)); }

bool exchange::stream(std::shared_ptr<stream_source> source, std::vector<header_field> headers) {
  if (answered_.exchange(true))
    return false;
  headers.push_back({"cache-control", "no-cache, no-transform"});
  headers.push_back({"x-accel-buffering", "no"}); // proxies of the nginx kind would hold events back
  client_->stream(number_,
      {.status = 200, .content_type = "text/event-stream", .body = {}, .headers = std::move(headers)},
      std::move(source));
  return true;
}

void exchange::when_gone(std::function<void()> work) {
  if (!answered_)
    client_->when_gone(number_, std::move(work));
}

} // namespace troupe::gateway
