// HTTP messages: framing of every kind, every cut, and what isn't HTTP.
#include "providers/http_parser.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::providers {

BOOST_AUTO_TEST_SUITE(http_parsing)

namespace {

struct parsed {
  std::string body;
  bool done = false;
  bool keep_alive = false;
  http_head head;
  std::string fault;
  std::size_t left = 0;
};

parsed parse(const std::vector<std::string_view>& pieces, bool ends = false,
    http_role role = http_role::response, std::uint64_t most = 0) {
  http_parser parser(role, most);
  parsed got;
  for (auto piece : pieces) {
    while (!piece.empty() && !parser.done() && got.fault.empty()) {
      auto used = parser.feed(piece, got.body);
      if (!used)
        got.fault = used.error().detail;
      else
        piece.remove_prefix(*used);
    }
    got.left += piece.size();
  }
  if (ends && got.fault.empty())
    if (auto end = parser.finish(); !end)
      got.fault = end.error().detail;
  got.done = parser.done();
  got.keep_alive = parser.keep_alive();
  got.head = parser.head();
  return got;
}

const std::string chunked_answer =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream;charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"
    "1f;x=1\r\n: hello\n\nevent: note\ndata: caf\xC3\r\n3\r\n\xA9\n\n\r\ne\r\ndata: "
    "[DONE]\n\n\r\n0\r\nX-Trace: done\r\n\r\n";

} // namespace

BOOST_AUTO_TEST_CASE(chunks_with_extensions_and_trailers_however_they_are_cut) {
  auto whole = parse({chunked_answer});
  BOOST_TEST(whole.fault == "");
  BOOST_TEST(whole.done);
  BOOST_TEST(whole.keep_alive);
  BOOST_TEST(whole.body == ": hello\n\nevent: note\ndata: caf\xC3\xA9\n\ndata: [DONE]\n\n");
  BOOST_TEST(whole.head.media_type() == "text/event-stream");
  BOOST_TEST(!whole.head.find("x-trace").has_value());
  std::vector<std::string_view> bytes;
  for (std::size_t cut = 0; cut <= chunked_answer.size(); ++cut) {
    auto got = parse(
        {std::string_view(chunked_answer).substr(0, cut), std::string_view(chunked_answer).substr(cut)});
    BOOST_REQUIRE_EQUAL(got.fault, "");
    BOOST_REQUIRE_EQUAL(got.body, whole.body);
    BOOST_REQUIRE(got.done);
    if (cut < chunked_answer.size())
      bytes.push_back(std::string_view(chunked_answer).substr(cut, 1));
    BOOST_REQUIRE(cut == chunked_answer.size()
        || !parse({std::string_view(chunked_answer).substr(0, cut)}, true).fault.empty());
  }
  BOOST_TEST(parse(bytes).body == whole.body);
}

// What ends a chunked body comes in two lines, and a peer decides where they are cut.
BOOST_AUTO_TEST_CASE(every_chunked_body_is_the_same_wherever_it_is_cut_twice_and_on_either_side) {
  const std::string request = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::pair<std::string, std::string> bodies[] = {{"0\r\n\r\n", ""}, {"0;a=b\r\n\r\n", ""},
      {"000\r\nA: b\r\n\r\n", ""}, {"0\r\nA: b\r\nC:d\r\n\r\n", ""}, {"1\r\nx\r\n0\r\n\r\n", "x"},
      {"2 ;q=\"\"\r\n\r\n\r\n0 \r\nT: \r\n\r\n", "\r\n"},
      {"a\r\n0\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n0\r\n\r\n"}};
  for (const auto role : {http_role::request, http_role::response})
    for (const auto& [framed, content] : bodies) {
      const auto& head = role == http_role::request ? request : response;
      const std::string message = head + framed + "more";
      const std::string_view all = message;
      for (auto first = head.size() - 1; first < all.size(); ++first)
        for (auto second = first; second < all.size(); ++second) {
          const auto got = parse(
              {all.substr(0, first), all.substr(first, second - first), all.substr(second)}, false, role);
          BOOST_REQUIRE_EQUAL(got.fault, "");
          BOOST_REQUIRE_EQUAL(got.body, content);
          BOOST_REQUIRE(got.done);
          BOOST_REQUIRE_EQUAL(got.left, 4U);
        }
      for (std::size_t whole = head.size(); whole < head.size() + framed.size(); ++whole)
        BOOST_REQUIRE(
            !parse({all.substr(0, head.size()), all.substr(head.size(), whole - head.size())}, true, role)
                 .fault.empty());
    }
}

BOOST_AUTO_TEST_CASE(lengths) {
  auto sized = parse({"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabcHTTP/1.1"});
  BOOST_TEST(sized.body == "abc");
  BOOST_TEST(sized.left == 8U);
  BOOST_TEST(sized.keep_alive);
  auto to_the_end = parse({"HTTP/1.1 200 OK\r\n\r\nabc"}, true);
  BOOST_TEST(to_the_end.body == "abc");
  BOOST_TEST(to_the_end.done);
  BOOST_TEST(!to_the_end.keep_alive);
  BOOST_TEST(!parse({"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nab"}, true).fault.empty());
  BOOST_TEST(parse({"HTTP/1.1 204 No Content\r\n\r\n"}).done);
  BOOST_TEST(parse({"HTTP/1.1 100 Continue\r\n\r\n"}).done);
  BOOST_TEST(!parse({"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"}).keep_alive);
}

BOOST_AUTO_TEST_CASE(both_lengths_are_chunks_and_the_end_of_the_connection) {
  auto got = parse(
      {"HTTP/1.1 200 OK\r\nContent-Length: 999\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"});
  BOOST_TEST(got.fault == "");
  BOOST_TEST(got.body == "hi");
  BOOST_TEST(got.done);
  BOOST_TEST(!got.keep_alive);
}

BOOST_AUTO_TEST_CASE(what_is_no_http_or_too_big) {
  BOOST_TEST(!parse({"SSH-2.0-OpenSSH_9.2\r\n"}).fault.empty());
  BOOST_TEST(!parse({"x"}).fault.empty());
  BOOST_TEST(!parse({"HTTP/1.1 banana\r\n\r\n"}).fault.empty());
  BOOST_TEST(!parse({"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"}).fault.empty());
  BOOST_TEST(
      !parse({"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n"}).fault.empty());
  BOOST_TEST(!parse({"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n"}).fault.empty());
  BOOST_TEST(parse({"HTTP/1.1 200 OK\r\nx: " + std::string(http_head_bytes_max, 'a')}).fault.find("65536")
      != std::string::npos);
  BOOST_TEST(!parse({"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;" + std::string(40000, 'a')})
                  .fault.empty());
  BOOST_TEST(
      !parse({"POST / HTTP/1.1\r\ncontent-length: 11\r\n\r\n"}, false, http_role::request, 10).fault.empty());
  BOOST_TEST(!parse({"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nb\r\nhello world\r\n0\r\n\r\n"},
      false, http_role::request, 10)
                  .fault.empty());
}

BOOST_AUTO_TEST_CASE(requests) {
  auto got =
      parse({"POST /v1/messages?x=1 HTTP/1.1\r\nHost: a\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 2\r\n\r\nhi"},
          false, http_role::request);
  BOOST_TEST(got.head.method == "POST");
  BOOST_TEST(got.head.target == "/v1/messages?x=1");
  BOOST_TEST(got.head.find("x-a").value() == "1, 2");
  BOOST_TEST(got.body == "hi");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers
