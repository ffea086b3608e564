// The head by Beast's parser, once it is whole; the body by its length, its chunks or the stream's end.
#include "providers/http_parser.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>

#include <algorithm>
#include <limits>

namespace troupe::providers {

namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
      [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
  return out;
}

std::string_view trimmed(std::string_view text) {
  auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// A message with both lengths is chunked (RFC 9112 §6.3), and its connection isn't used again. Beast
// refuses it, so the other length is taken out before.
bool drop_length_beside_chunks(std::string& head) {
  std::string kept;
  bool chunked = false;
  bool dropped = false;
  for (std::size_t at = 0; at < head.size();) {
    auto end = head.find("\r\n", at) + 2;
    std::string_view line(head.data() + at, end - at);
    auto name = lower(line.substr(0, line.find(':')));
    chunked = chunked || name == "transfer-encoding";
    if (name == "content-length")
      dropped = true;
    else
      kept += line;
    at = end;
  }
  if (!chunked || !dropped)
    return false;
  head = std::move(kept);
  return true;
}

/// What a head says of its body.
struct body_facts {
  bool chunked = false;
  std::optional<std::uint64_t> length;
  bool keep_alive = false;
};

template <bool IsRequest> class head_reader final : private http::basic_parser<IsRequest> {
  using base = http::basic_parser<IsRequest>;

 public:
  explicit head_reader(http_head& head) : head_(head) {
    base::skip(true); // the body
    base::header_limit(static_cast<std::uint32_t>(http_head_bytes_max));
  }

  result<body_facts> read(std::string_view bytes) {
    error_code error;
    base::put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
    if (error && error != http::error::need_more)
      return problem{
          error == http::error::header_limit ? problem_code::too_large : problem_code::invalid_input,
          error.message(), {}};
    if (!base::is_header_done())
      return problem{problem_code::invalid_input, "the head isn't whole", {}};
    body_facts facts{base::chunked(), std::nullopt, base::keep_alive()};
    if (const auto length = base::content_length())
      facts.length = *length;
    return facts;
  }

 private:
  void on_request_impl(http::verb, string_view method, string_view target, int, error_code&) override {
    head_.method = std::string(method);
    head_.target = std::string(target);
  }
  void on_response_impl(int status, string_view, int, error_code&) override { head_.status = status; }
  void on_field_impl(http::field, string_view name, string_view value, error_code&) override {
    head_.fields.push_back({lower({name.data(), name.size()}), std::string(value)});
  }
  // What Beast asks for besides.
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view bytes, error_code&) override { return bytes.size(); }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view bytes, error_code&) override {
    return bytes.size();
  }
  void on_finish_impl(error_code&) override {}

  http_head& head_;
};

// Garbage is told at once instead of waiting for the end of a head that never comes.
bool could_be_response(std::string_view start) {
  constexpr std::string_view version = "HTTP/1.";
  return start.substr(0, version.size()) == version.substr(0, start.size());
}

bool has_no_body(int status) { return status < 200 || status == 204 || status == 304; }

} // namespace

std::optional<std::string> http_head::find(std::string_view name) const {
  std::optional<std::string> found;
  for (const auto& field : fields)
    if (field.name == name)
      found = found ? *found + ", " + field.value : field.value;
  return found;
}

std::string http_head::media_type() const {
  auto value = find("content-type").value_or("");
  return lower(trimmed(std::string_view(value).substr(0, value.find(';'))));
}

http_parser::http_parser(http_role role, std::size_t body_bytes_max)
    : role_(role),
      body_bytes_max_(body_bytes_max == 0 ? std::numeric_limits<std::size_t>::max() : body_bytes_max),
      chunks_(body_bytes_max_) {}

result<std::size_t> http_parser::feed(std::string_view bytes, std::string& body) {
  std::size_t used = 0;
  if (!head_done_) {
    const auto of_head = feed_head(bytes);
    if (!of_head || !head_done_)
      return of_head;
    used = *of_head;
  }
  const auto of_body = feed_body(bytes.substr(used), body);
  return of_body ? result<std::size_t>(used + *of_body) : of_body;
}

result<std::size_t> http_parser::feed_head(std::string_view bytes) {
  const auto before = held_.size();
  const auto searched = before < 3 ? 0 : before - 3;
  held_.append(bytes.substr(0, http_head_bytes_max + 4 - std::min(before, http_head_bytes_max)));
  const auto end = held_.find("\r\n\r\n", searched);
  if (end == std::string::npos) {
    if (held_.size() > http_head_bytes_max)
      return problem{problem_code::too_large, "the head is over 65536 bytes", {}};
    if (role_ == http_role::response && !could_be_response(held_))
      return problem{problem_code::invalid_input, "what came isn't HTTP/1.1", {}};
    return bytes.size();
  }
  held_.resize(end + 4);
  if (const auto taken = take_head(); !taken)
    return taken.error();
  return end + 4 - before;
}

result<void> http_parser::take_head() {
  auto head = std::exchange(held_, {});
  const bool ambiguous = drop_length_beside_chunks(head);
  const auto facts = role_ == http_role::request ? head_reader<true>(head_).read(head)
                                                 : head_reader<false>(head_).read(head);
  if (!facts)
    return facts.error();
  head_done_ = true;
  keep_alive_ = facts->keep_alive && !ambiguous;
  if (role_ == http_role::response && has_no_body(head_.status)) {
    done_ = true;
  } else if (facts->chunked) {
    framing_ = framing::chunks;
  } else if (facts->length || role_ == http_role::request) {
    if (facts->length.value_or(0) > body_bytes_max_)
      return body_too_large();
    body_left_ = static_cast<std::size_t>(facts->length.value_or(0));
    done_ = body_left_ == 0;
  } else {
    framing_ = framing::end_of_stream;
    body_left_ = body_bytes_max_;
    keep_alive_ = false;
  }
  return {};
}

result<std::size_t> http_parser::feed_chunks(std::string_view bytes, std::string& body) {
  std::size_t used = 0;
  const auto now = chunks_.take(bytes, used, body);
  if (now == chunk_reader::state::too_large)
    return body_too_large();
  if (now == chunk_reader::state::broken)
    return problem{problem_code::invalid_input, "the chunks of the body break the rules of HTTP/1.1", {}};
  done_ = now == chunk_reader::state::whole;
  return used;
}

result<std::size_t> http_parser::feed_body(std::string_view bytes, std::string& body) {
  if (done_)
    return std::size_t{0};
  if (framing_ == framing::chunks)
    return feed_chunks(bytes, body);
  if (framing_ == framing::end_of_stream && bytes.size() > body_left_)
    return body_too_large();
  const auto content = bytes.substr(0, body_left_);
  body += content;
  body_left_ -= content.size();
  done_ = framing_ == framing::length && body_left_ == 0;
  return content.size();
}

problem http_parser::body_too_large() const {
  return {problem_code::too_large, "the body is over " + std::to_string(body_bytes_max_) + " bytes", {}};
}

result<void> http_parser::finish() {
  done_ = done_ || (head_done_ && framing_ == framing::end_of_stream);
  if (!done_)
    return problem{problem_code::invalid_input, "the stream ended in the middle of a message", {}};
  return {};
}

} // namespace troupe::providers
