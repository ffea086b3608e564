// Beast's incremental parser, fed by hand, for requests and for responses.
#include "providers/http_parser.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>

#include <algorithm>

namespace troupe::providers {

namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

constexpr std::size_t framing_bytes_max = std::size_t{16} << 10;

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

class http_parser::machine {
 public:
  virtual ~machine() = default;
  virtual std::size_t put(std::string_view bytes, error_code& error) = 0;
  virtual void put_eof(error_code& error) = 0;
  virtual bool is_done() const = 0;
  virtual bool keeps_alive() const = 0;

  http_head head;
  std::string* body = nullptr;
  bool head_done = false;
};

namespace {

template <bool IsRequest>
class beast_machine final : public http_parser::machine, private http::basic_parser<IsRequest> {
  using base = http::basic_parser<IsRequest>;

 public:
  explicit beast_machine(std::uint64_t body_bytes_max) {
    base::eager(true);
    base::header_limit(static_cast<std::uint32_t>(http_head_bytes_max));
    if (body_bytes_max == 0)
      base::body_limit(boost::none);
    else
      base::body_limit(body_bytes_max);
  }
  std::size_t put(std::string_view bytes, error_code& error) override {
    return base::put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  }
  void put_eof(error_code& error) override { base::put_eof(error); }
  bool is_done() const override { return base::is_done(); }
  bool keeps_alive() const override { return base::keep_alive(); }

 private:
  void on_request_impl(http::verb, string_view method, string_view target, int, error_code&) override {
    head.method = std::string(method);
    head.target = std::string(target);
  }
  void on_response_impl(int status, string_view, int, error_code&) override { head.status = status; }
  void on_field_impl(http::field, string_view name, string_view value, error_code&) override {
    if (!head_done) // what comes later are trailers
      head.fields.push_back({lower({name.data(), name.size()}), std::string(value)});
  }
  void on_header_impl(error_code&) override { head_done = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view bytes, error_code&) override {
    body->append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view bytes, error_code&) override {
    body->append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_finish_impl(error_code&) override {}
};

// Garbage is told at once instead of waiting for the end of a head that never comes.
bool could_be_response(std::string_view start) {
  constexpr std::string_view version = "HTTP/1.";
  return start.substr(0, version.size()) == version.substr(0, start.size());
}

problem refused(const error_code& error) {
  bool size = error == http::error::body_limit || error == http::error::header_limit;
  return {size ? problem_code::too_large : problem_code::invalid_input, error.message(), {}};
}

} // namespace

http_parser::http_parser(http_role role, std::uint64_t body_bytes_max) : role_(role) {
  if (role == http_role::request)
    machine_ = std::make_unique<beast_machine<true>>(body_bytes_max);
  else
    machine_ = std::make_unique<beast_machine<false>>(body_bytes_max);
}

http_parser::~http_parser() = default;

bool http_parser::started() const { return head_whole_ || !held_.empty(); }
bool http_parser::head_done() const { return machine_->head_done; }
bool http_parser::done() const { return machine_->is_done(); }
const http_head& http_parser::head() const { return machine_->head; }
bool http_parser::keep_alive() const { return !ambiguous_ && machine_->is_done() && machine_->keeps_alive(); }

result<std::size_t> http_parser::feed(std::string_view bytes, std::string& body) {
  machine_->body = &body;
  std::size_t used = 0;
  if (!head_whole_) {
    auto searched = held_.size() < 3 ? 0 : held_.size() - 3;
    auto before = held_.size();
    held_.append(bytes.substr(0, http_head_bytes_max + 4 - std::min(before, http_head_bytes_max)));
    auto end = held_.find("\r\n\r\n", searched);
    if (end == std::string::npos) {
      if (held_.size() > http_head_bytes_max)
        return problem{problem_code::too_large, "the head is over 65536 bytes", {}};
      if (role_ == http_role::response && !could_be_response(held_))
        return problem{problem_code::invalid_input, "what came isn't HTTP/1.1", {}};
      return bytes.size();
    }
    used = end + 4 - before;
    held_.resize(end + 4);
    if (auto taken = take_head(); !taken)
      return taken.error();
  }
  if (done() || used == bytes.size())
    return used;
  if (held_.empty()) {
    auto put_now = put(bytes.substr(used));
    return put_now ? result<std::size_t>(used + *put_now) : put_now;
  }
  // framing that was cut: the rest of it may make it whole
  auto before = held_.size();
  held_ += bytes.substr(used);
  auto whole = std::exchange(held_, {});
  auto put_now = put(whole);
  if (!put_now)
    return put_now;
  return used + (*put_now - before);
}

result<void> http_parser::take_head() {
  head_whole_ = true;
  ambiguous_ = drop_length_beside_chunks(held_);
  auto head = std::exchange(held_, {});
  error_code error;
  machine_->put(head, error);
  if (error && error != http::error::need_more)
    return refused(error);
  if (!machine_->head_done)
    return problem{problem_code::invalid_input, "the head isn't whole", {}};
  return {};
}

// Feeds what there is; framing that can't be read yet is held until more comes.
result<std::size_t> http_parser::put(std::string_view bytes) {
  std::size_t used = 0;
  while (used < bytes.size() && !done()) {
    error_code error;
    auto took = machine_->put(bytes.substr(used), error);
    used += took;
    if (error == http::error::need_more) {
      held_ = bytes.substr(used);
      if (held_.size() > framing_bytes_max)
        return problem{problem_code::too_large, "a chunk's head or the trailers are over 16384 bytes", {}};
      return bytes.size();
    }
    if (error)
      return refused(error);
    if (took == 0)
      break;
  }
  return used;
}

result<void> http_parser::finish() {
  if (done())
    return {};
  error_code error;
  if (!head_whole_ || !held_.empty())
    error = http::error::partial_message;
  else
    machine_->put_eof(error);
  if (error)
    return refused(error);
  return {};
}

} // namespace troupe::providers
