// The account itself: whoever judges streams by it must hear of each thing that may be wrong with one.
#include "tests/crash/stream_account.hpp"

#include "messages/json.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(stream_accounts)

namespace {

sent_event committed(int seq, const std::string& type = "turn.started", const std::string& data = "{}") {
  const auto id = std::to_string(seq);
  return {id, type, R"({"seq":)" + id + R"(,"type":")" + type + R"(","data":)" + data + "}"};
}

sent_event live(const std::string& name, int offset, const std::string& text) {
  return {"", name,
      R"({"inference_id":"i","block":0,"kind":"text","offset":)" + std::to_string(offset) + R"(,"text":)"
          + json::quote(text) + "}"};
}

sent_event block(int seq, const std::string& text) {
  return committed(seq, "assistant.block",
      R"({"inference_id":"i","index":0,"block":{"type":"text","text":)" + json::quote(text) + "}}");
}

std::size_t breaches(const std::vector<sent_event>& stream) {
  stream_account account;
  for (const auto& event : stream)
    account.take(event);
  return account.breaches().size();
}

} // namespace

BOOST_AUTO_TEST_CASE(what_is_as_promised_is_no_breach) {
  BOOST_TEST(breaches({committed(1), live("delta", 0, "Gr"), live("delta", 2, "ü"),
                 live("partial", 0, "Grüß"), live("delta", 6, "e"), block(2, "Grüße")})
      == 0U);
  BOOST_TEST(
      breaches({committed(1), live("delta", 0, "One"),
          committed(2, "output.voided", R"({"inference_id":"i"})"), live("delta", 0, "Two"), block(3, "Two")})
      == 0U);
  stream_account account;
  account.take(live("delta", 0, "On"));
  account.connected();
  account.take(live("partial", 0, "One"));
  account.take(live("delta", 3, "!"));
  account.take(block(1, "One!"));
  BOOST_TEST(account.breaches().empty());
  BOOST_TEST(account.blocks_joined() == 1U);
}

BOOST_AUTO_TEST_CASE(whatever_is_missing_or_twice_is_told) {
  BOOST_TEST(breaches({committed(1), committed(3)}) == 1U);
  BOOST_TEST(breaches({committed(1), committed(1)}) == 1U);
  BOOST_TEST(breaches({live("delta", 1, "x")}) == 1U);
  BOOST_TEST(breaches({live("delta", 0, "x"), live("delta", 0, "x")}) == 1U);
  BOOST_TEST(breaches({live("delta", 0, "ab"), live("partial", 0, "ac")}) == 1U);
  BOOST_TEST(breaches({live("delta", 0, "ab"), block(1, "abc")}) == 1U);
  BOOST_TEST(breaches({live("delta", 0, "ab"), block(1, "ac")}) == 2U);
  BOOST_TEST(breaches({committed(1), {"2", "turn.started", R"({"seq":3,"type":"turn.started"})"}}) == 1U);
  BOOST_TEST(breaches({{"1", "delta", live("delta", 0, "x").data}}) == 1U);
  BOOST_TEST(breaches({{"", "turn.started", "{}"}}) == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
