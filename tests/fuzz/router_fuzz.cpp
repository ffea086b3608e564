// Requests as an attacker would write them: the same requests however the bytes come, each answered once.
// Seeds: tests/gateway/malformed.
#include "gateway/request_parser.hpp"
#include "tests/fuzz/must.hpp"
#include "tests/gateway/plain_routes.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace troupe::gateway;
using troupe::fuzz::must;

namespace {

// So small that inputs reach them.
constexpr bounds limits{
    .url_bytes_max = 200, .headers_bytes_max = 600, .headers_max = 10, .body_bytes_max = 300};

struct parsed {
  std::vector<request> requests;
  std::optional<refusal> refused;
};

parsed parse(std::string_view bytes, std::size_t piece) {
  parsed out;
  std::optional<request_parser> parser;
  while (!bytes.empty()) {
    if (!parser)
      parser.emplace(limits);
    const std::size_t used = parser->feed(bytes.substr(0, piece));
    bytes.remove_prefix(used);
    if (const auto& wrong = parser->wrong()) {
      out.refused = wrong->why;
      break;
    }
    if (parser->done()) {
      out.requests.push_back(parser->take());
      parser.reset();
    } else {
      must(used > 0, "a parser takes what it is given"); // else it would be fed for ever
    }
  }
  return out;
}

void compare(const parsed& one, const parsed& other) {
  must(one.refused == other.refused, "the same refusal");
  must(one.requests.size() == other.requests.size(), "as many requests");
  for (std::size_t i = 0; i < one.requests.size(); ++i) {
    must(one.requests[i].method == other.requests[i].method, "the same method");
    must(one.requests[i].target == other.requests[i].target, "the same target");
    must(one.requests[i].headers == other.requests[i].headers, "the same headers");
    must(one.requests[i].body == other.requests[i].body, "the same body");
    must(one.requests[i].body.size() <= limits.body_bytes_max, "no body over its bound");
  }
}

class answer_counter final : public peer {
 public:
  void answer(std::uint64_t, response) override { ++answers; }
  void stream(std::uint64_t, response, std::shared_ptr<stream_source>) override { ++answers; }
  void when_gone(std::uint64_t, std::function<void()>) override {}
  bool draining() const override { return false; }
  int answers = 0;
};

void carry(request asked) {
  static const router routes = [] {
    router made;
    testing::add_plain_routes(made);
    return made;
  }();
  if (asked.target.starts_with("/v1/thrown") || asked.target.starts_with("/v1/dropped"))
    return; // for the connection to catch; and each is a line in the log
  auto client = std::make_shared<answer_counter>();
  routes(std::make_shared<exchange>(std::move(asked), client, 1));
  must(client->answers == 1, "one answer");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  parsed whole = parse(bytes, size);
  compare(whole, parse(bytes, 1 + size % 13));
  for (request& asked : whole.requests)
    carry(std::move(asked));
  return 0;
}
