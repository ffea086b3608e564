// Event streams: every rule of the standard, and every way of cutting one.
#include "providers/sse.hpp"

#include <boost/test/unit_test.hpp>

#include <ostream>

namespace troupe::providers {

std::ostream& operator<<(std::ostream& out, const sse_event& event) {
  return out << event.type << "=" << event.data;
}

BOOST_AUTO_TEST_SUITE(sse)

namespace {

std::vector<sse_event> decode(const std::vector<std::string_view>& pieces) {
  sse_decoder decoder;
  std::vector<sse_event> events;
  for (auto piece : pieces)
    BOOST_REQUIRE(decoder.feed(piece, events));
  return events;
}

void check(const std::vector<std::string_view>& pieces, const std::vector<sse_event>& expected) {
  auto got = decode(pieces);
  BOOST_TEST(got == expected, boost::test_tools::per_element());
}

} // namespace

BOOST_AUTO_TEST_CASE(fields_and_line_ends) {
  check({"data:x\n\n"}, {{"message", "x"}});
  check({"data:  x\n\n"}, {{"message", " x"}});
  check({"data\n\n"}, {{"message", ""}});
  check({"data\ndata\n\n"}, {{"message", "\n"}});
  check({"data:\n\n"}, {{"message", ""}});
  check({":ok\n\n"}, {});
  check({"foo: 1\n\n"}, {});
  check({"event: t\n\ndata: a\n\n"}, {{"message", "a"}});
  check({"event: t\nevent: u\ndata: a\n\ndata: b\n\n"}, {{"u", "a"}, {"message", "b"}});
  check({"data: a\r\r"}, {{"message", "a"}});
  check({"data: a\r\ndata: b\r\n\r\n"}, {{"message", "a\nb"}});
  check({"DATA: a\n\n"}, {});
  check({"data: a:b\n\n"}, {{"message", "a:b"}});
}

BOOST_AUTO_TEST_CASE(the_bytes_of_the_reference) {
  check({"\xEF\xBB\xBF"
         "data: a\r",
            "\ndata: b\r\n\r", "\n"},
      {{"message", "a\nb"}});
  check({"data: \xE2\x82", "\xAC\n\n"}, {{"message", "€"}});
  check({"data: \xE4\xB8", "\xAD\n\ndata: x\xFFy\n\ndata: z\n\n"},
      {{"message", "中"}, {"message", "x\xEF\xBF\xBDy"}, {"message", "z"}});
  check({"\xEF\xBB\xBF\xEF\xBB\xBF"
         "data: a\n\n"},
      {}); // only the first is dropped; the field's name has the second
}

BOOST_AUTO_TEST_CASE(ids_and_retry_stick) {
  sse_decoder decoder;
  std::vector<sse_event> events;
  decoder.feed(std::string_view("id: 1\0\nretry: 10s\n\n", 19), events);
  BOOST_TEST(decoder.last_event_id().empty());
  BOOST_TEST(!decoder.retry_ms().has_value());
  decoder.feed("id: 7\nretry: 250\n\ndata: a\n\n", events);
  BOOST_TEST(decoder.last_event_id() == "7");
  BOOST_TEST(decoder.retry_ms().value() == 250);
  BOOST_TEST(events.size() == 1U);
}

BOOST_AUTO_TEST_CASE(every_cut_gives_the_same_events) {
  const std::string stream = "\xEF\xBB\xBF: hi\r\nevent: note\r\ndata: {\"t\":\"你好🙂\"}\r\n\r\nid: "
                             "4\rdata: a\rdata:\r\rdata: b\n\n"
                             "event: x\n\ndata: caf\xC3\xA9\ndata: two\n\n";
  auto whole = decode({stream});
  BOOST_REQUIRE_EQUAL(whole.size(), 4U);
  for (std::size_t cut = 0; cut <= stream.size(); ++cut)
    check({std::string_view(stream).substr(0, cut), std::string_view(stream).substr(cut)}, whole);
  std::vector<std::string_view> bytes;
  for (std::size_t i = 0; i < stream.size(); ++i)
    bytes.push_back(std::string_view(stream).substr(i, 1));
  check(bytes, whole);
}

BOOST_AUTO_TEST_CASE(an_unfinished_event_is_given_at_the_end_only_when_asked) {
  sse_decoder decoder;
  std::vector<sse_event> events;
  decoder.feed("event: t\ndata: half", events);
  BOOST_TEST(events.empty());
  BOOST_TEST((decoder.finish() == sse_event{"t", "half"}));
  BOOST_TEST(!sse_decoder().finish().has_value());
}

BOOST_AUTO_TEST_CASE(a_frame_over_the_bound_ends_the_stream) {
  sse_decoder line(100);
  std::vector<sse_event> events;
  BOOST_TEST(line.feed("data: ok\n\n", events));
  BOOST_TEST(!line.feed(std::string(101, 'x'), events));
  BOOST_TEST(!line.feed("data: ok\n\n", events));
  BOOST_TEST(events.size() == 1U);
  sse_decoder lines(100);
  BOOST_TEST(lines.feed("data: " + std::string(60, 'x') + "\n", events));
  BOOST_TEST(!lines.feed("data: " + std::string(60, 'x') + "\n", events));
}

BOOST_AUTO_TEST_CASE(big_events_and_many_small_pieces_take_linear_time) {
  sse_decoder decoder;
  std::vector<sse_event> events;
  std::string big = "data: " + std::string(4 << 20, 'x') + "\n\n";
  for (std::size_t at = 0; at < big.size(); at += 512)
    decoder.feed(std::string_view(big).substr(at, 512), events);
  BOOST_REQUIRE_EQUAL(events.size(), 1U);
  BOOST_TEST(events[0].data.size() == std::size_t{4} << 20);
  events.clear();
  sse_decoder returns;
  BOOST_TEST(returns.feed(
      std::string(1 << 20, '\r'), events)); // a search for the next LF per CR would take for ever
  BOOST_TEST(events.empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers
