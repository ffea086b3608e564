// The head by Beast's parser, between two checks of our own; the body by its length or its chunks.
#include "gateway/request_parser.hpp"

#include "gateway/head_scan.hpp"
#include "providers/chunk_reader.hpp"

#include <algorithm>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>

namespace troupe::gateway {

namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

std::size_t count(const request& of, std::string_view name) {
  return static_cast<std::size_t>(std::count_if(
      of.headers.begin(), of.headers.end(), [&](const header_field& one) { return one.name == name; }));
}

} // namespace

class request_parser::machine final : private http::basic_parser<true> {
  using base = http::basic_parser<true>;

 public:
  explicit machine(const bounds& limits) : limits_(limits), scan_(limits), chunks_(limits.body_bytes_max) {
    base::skip(true); // the body
    base::header_limit(static_cast<std::uint32_t>(limits.url_bytes_max + limits.headers_bytes_max + 4096));
  }

  std::size_t feed(std::string_view bytes) {
    std::size_t used = 0;
    if (!is_head_done()) {
      used = take_head(bytes);
      if (wrong || !is_head_done())
        return used;
    }
    return used + take_body(bytes.substr(used));
  }

  bool is_done() const { return is_head_done() && !wrong && body_whole_; }
  bool is_head_done() const { return base::is_header_done(); }
  bool keep_alive() const { return base::keep_alive(); }
  bool is_http_1_0() const { return !http_1_1_; }
  bool is_started() const { return is_head_done() || !head_.empty(); }
  bool has_body_begun() const { return body_begun_; }

  request asked;
  std::optional<complaint> wrong;

 private:
  std::size_t take_head(std::string_view bytes);
  std::size_t take_body(std::string_view bytes);
  void check_head();
  std::size_t put(std::string_view bytes, error_code& error) {
    return base::put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  }
  void complain(refusal why, std::string detail) { wrong = {why, std::move(detail)}; }
  void complain_of_size() {
    complain(
        refusal::body_too_large, "the body is over " + std::to_string(limits_.body_bytes_max) + " bytes");
  }

  void on_request_impl(
      http::verb, string_view method, string_view target, int version, error_code&) override {
    asked.method.assign(method.data(), method.size());
    asked.target.assign(target.data(), target.size());
    http_1_1_ = version == 11;
  }
  void on_field_impl(http::field, string_view name, string_view value, error_code&) override {
    asked.headers.push_back({lower({name.data(), name.size()}), {value.data(), value.size()}});
  }
  // What Beast asks for besides.
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view bytes, error_code&) override { return bytes.size(); }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view bytes, error_code&) override {
    return bytes.size();
  }
  void on_finish_impl(error_code&) override {}

  const bounds& limits_;
  head_scan scan_;
  providers::chunk_reader chunks_;
  std::string head_; ///< until it is whole
  std::uint64_t length_left_ = 0;
  bool http_1_1_ = true;
  bool body_begun_ = false;
  bool body_whole_ = false;
};

std::size_t request_parser::machine::take_head(std::string_view bytes) {
  std::size_t used = 0;
  const head_state found = scan_.take(bytes, used);
  head_ += bytes.substr(0, used);
  if (const auto empty_lines = head_.find_first_not_of("\r\n"); empty_lines != 0)
    head_.erase(0, empty_lines);
  switch (found) {
  case head_state::more:
    break;
  case head_state::broken:
    complain(refusal::bad_request,
        "the head holds what no HTTP/1.1 request may: a NUL, a line that doesn't end "
        "in CR LF, a folded line, or no method at its start");
    break;
  case head_state::url_too_long:
    complain(refusal::url_too_long, "the URL is over " + std::to_string(limits_.url_bytes_max) + " bytes");
    break;
  case head_state::fields_too_big:
    complain(refusal::headers_too_large,
        "the headers are over " + std::to_string(limits_.headers_bytes_max) + " bytes or more than "
            + std::to_string(limits_.headers_max) + " fields");
    break;
  case head_state::whole:
    error_code error;
    put(std::exchange(head_, {}), error);
    if (error)
      complain(refusal::bad_request, "this is no lawful HTTP/1.1 request: " + error.message());
    else
      check_head();
  }
  return used;
}

// What would let a proxy before us see other requests than we do.
void request_parser::machine::check_head() {
  const auto coding = asked.header("transfer-encoding");
  if (asked.target.size() > limits_.url_bytes_max)
    return complain(
        refusal::url_too_long, "the URL is over " + std::to_string(limits_.url_bytes_max) + " bytes");
  if (const auto hosts = count(asked, "host"); hosts > 1 || (hosts == 0 && http_1_1_))
    return complain(refusal::bad_request, "a request names its Host exactly once");
  if (coding && (!http_1_1_ || lower(*coding) != "chunked" || count(asked, "content-length") > 0))
    return complain(refusal::bad_request,
        "the only Transfer-Encoding taken is \"chunked\", in HTTP/1.1 and without a Content-Length");
  const auto expected = asked.header("expect");
  if (expected && http_1_1_ && lower(*expected) != "100-continue")
    return complain(refusal::expectation_failed, "the only expectation that can be met is 100-continue");
  length_left_ = base::content_length().value_or(0);
  body_whole_ = !coding && length_left_ == 0;
  if (length_left_ > limits_.body_bytes_max)
    complain_of_size();
}

std::size_t request_parser::machine::take_body(std::string_view bytes) {
  if (body_whole_ || bytes.empty())
    return 0;
  body_begun_ = true;
  if (!base::chunked()) {
    bytes = bytes.substr(0, length_left_);
    asked.body += bytes;
    length_left_ -= bytes.size();
    body_whole_ = length_left_ == 0;
    return bytes.size();
  }
  using providers::chunk_reader;
  std::size_t used = 0;
  switch (chunks_.take(bytes, used, asked.body)) {
  case chunk_reader::state::more:
    break;
  case chunk_reader::state::whole:
    body_whole_ = true;
    break;
  case chunk_reader::state::broken:
    complain(refusal::bad_request, "the chunks of the body break the rules of HTTP/1.1");
    break;
  case chunk_reader::state::too_large:
    complain_of_size();
  }
  return used;
}

request_parser::request_parser(const bounds& limits) : machine_(std::make_unique<machine>(limits)) {}
request_parser::~request_parser() = default;

std::size_t request_parser::feed(std::string_view bytes) { return machine_->feed(bytes); }
const std::optional<complaint>& request_parser::wrong() const { return machine_->wrong; }
bool request_parser::started() const { return machine_->is_started(); }
bool request_parser::head_done() const { return machine_->is_head_done(); }
bool request_parser::done() const { return machine_->is_done(); }
std::size_t request_parser::body_bytes() const { return machine_->asked.body.size(); }
bool request_parser::is_http_1_0() const { return machine_->is_http_1_0(); }
bool request_parser::keep_alive() const { return machine_->keep_alive() && !machine_->is_http_1_0(); }
request request_parser::take() { return std::move(machine_->asked); }

bool request_parser::wants_invitation() const {
  return head_done() && !done() && !wrong() && !is_http_1_0() && !machine_->has_body_begun()
      && machine_->asked.header("expect").has_value();
}

} // namespace troupe::gateway
