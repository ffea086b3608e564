// The Messages stream decoder: transcripts and every breach.
#include "providers/anthropic/decode.hpp"
#include "tests/providers/anthropic/transcripts.hpp"
#include "tests/providers/decoding.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::providers::anthropic {

using namespace testing;

BOOST_AUTO_TEST_SUITE(anthropic_decode)

namespace {

decoded decode(const std::string& stream, const std::optional<failure>& cut = in_order) {
  return decode_as<stream_decoder>(stream, cut);
}

decoded decode_whole(std::string_view body) { return decode_as<whole_decoder>(body); }

void breaks(const std::string& stream, std::string_view words) { breaks_as<stream_decoder>(stream, words); }

} // namespace

BOOST_AUTO_TEST_CASE(thinking_and_a_call) {
  auto got = decode({thinking_and_call()});
  BOOST_TEST((got.end.state == inference_state::completed));
  BOOST_REQUIRE_EQUAL(got.blocks.size(), 2U);
  const auto& thought = std::get<thinking_block>(got.blocks[0]);
  BOOST_TEST(thought.text.text == "Need a reading.");
  BOOST_TEST(thought.signature.value() == "c2lnLXRlc3Q=");
  const auto& call = std::get<tool_call_block>(got.blocks[1]);
  BOOST_TEST(call.call_id == "toolu_t1");
  BOOST_TEST(call.name == "pump_status");
  BOOST_TEST(call.arguments->text == R"({"pump":7})");
  BOOST_TEST(got.end.usage.input_tokens.value() == 1241);
  BOOST_TEST(got.end.usage.cache_read_tokens.value() == 1200);
  BOOST_TEST(got.end.usage.output_tokens.value() == 58);
  BOOST_TEST(got.end.response_id.value() == "msg_t1");
  BOOST_TEST(got.end.response_model.value() == "claude-test-1");
  BOOST_TEST(got.end.stop.value() == "tool_use");
}

BOOST_AUTO_TEST_CASE(an_end_that_lost_its_last_bytes_is_whole) {
  auto stream = thinking_and_call();
  auto last = stream.find("event: message_stop");
  BOOST_TEST((decode(stream.substr(0, last) + "event: message_stop\ndata: {\"type\":\"m").end.state
      == inference_state::completed));
  BOOST_TEST((decode(stream.substr(0, last)).end.state == inference_state::completed));
  BOOST_TEST((decode(stream.substr(0, stream.size() - 2)).end.state == inference_state::completed));
}

BOOST_AUTO_TEST_CASE(an_error_after_the_start) {
  auto stream = started(R"({"input_tokens":9,"output_tokens":1})") + text_start(0) + text_delta(0, "The tide")
      + "event: error\ndata: "
        "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"},\"request_"
        "id\":\"req_t_0002\"}\n\n";
  auto got = decode({stream});
  BOOST_TEST(got.end.error->code == "overloaded");
  BOOST_TEST(got.end.error->retryable);
  BOOST_TEST(got.blocks.empty());
  BOOST_TEST(got.end.usage.input_tokens.value() == 9);
  BOOST_TEST(!got.end.usage.cache_read_tokens.has_value());
}

BOOST_AUTO_TEST_CASE(breaches) {
  auto begun = started() + text_start(0) + text_delta(0, "a");
  auto ended = begun + block_stop(0) + stop("end_turn");
  breaks("", "provider stream ended without a stop event");
  breaks(ended + stop("end_turn") + message_stop(), "two stop events");
  breaks(ended + message_stop() + message_stop(), "went on after its stop event");
  breaks(ended + message_stop() + text_start(1), "went on after its stop event");
  breaks(ended + text_start(1), "went on after its stop event");
  breaks(ended + call_start(1, "t", "n"), "went on after its stop event");
  breaks(begun + stop("end_turn") + message_stop(), "stopped inside block 0");
  breaks(begun + started(), "began twice");
  breaks(begun + text_start(0), "began block 0 twice");
  breaks(begun + json_delta(3, "{"), "which isn't open");
  breaks(begun + "data: {oops\n\n", "{oops");
  breaks(begun + "data: [1]\n\n", "no JSON object");
  breaks(begun + block_stop(0) + message_stop(), "without a stop event");
}

BOOST_AUTO_TEST_CASE(what_is_new_is_passed_over) {
  auto got = decode({started() + ping() + sse_line("brand_new", R"(,"x":1)") + text_start(0)
      + delta(0, R"({"type":"citations_delta","citation":{}})") + delta(0, R"({"type":"new_delta"})")
      + text_delta(0, "ok") + block_stop(0) + stop("model_context_window_exceeded") + message_stop()
      + ping()});
  BOOST_TEST((got.end.state == inference_state::completed));
  BOOST_TEST(got.end.stop.value() == "context_window");
  BOOST_TEST(got.end.stop_raw.value() == "model_context_window_exceeded");
  BOOST_TEST(std::get<text_block>(got.blocks.at(0)).text.text == "ok");
}

BOOST_AUTO_TEST_CASE(usage_is_a_total_and_null_says_nothing) {
  auto got = decode({started()
      + stop("end_turn",
          R"({"output_tokens":7,"input_tokens":null,"output_tokens_details":{"thinking_tokens":3}})")
      + sse_line("message_delta", R"(,"delta":{"stop_reason":null},"usage":{"output_tokens":9})")
      + message_stop()});
  BOOST_TEST((got.end.state == inference_state::completed));
  BOOST_TEST(got.end.usage.output_tokens.value() == 9);
  BOOST_TEST(got.end.usage.input_tokens.value() == 1241);
  BOOST_TEST(got.end.usage.reasoning_tokens.value() == 3);
  BOOST_TEST(!decode(stop("end_turn", "{}")).end.usage.input_tokens.has_value());
}

BOOST_AUTO_TEST_CASE(blocks_of_every_kind) {
  auto got = decode({started() + block_start(0, R"({"type":"redacted_thinking","data":"b64=="})")
      + block_stop(0)
      + block_start(4,
          R"({"type":"server_tool_use","id":"srv_1","name":"web_search","input":{},"caller":{"type":"direct"}})")
      + json_delta(4, R"({\"query\": \"tide\"})") + block_stop(4)
      + block_start(5,
          R"({"type":"web_search_tool_result","tool_use_id":"srv_1","content":[{"type":"web_search_result"}]})")
      + block_stop(5) + call_start(6, "a", "one") + call_start(7, "b", "two") + json_delta(6, R"({\"x\":)")
      + json_delta(7, R"({\"y\":)") + json_delta(6, "1}") + json_delta(7, "2}") + block_stop(7)
      + block_stop(6) + call_start(8, "c", "three") + block_stop(8) + call_start(9, "d", "four")
      + json_delta(9, R"({\"x\":)") + block_stop(9) + stop("tool_use") + message_stop()});
  BOOST_REQUIRE_EQUAL(got.blocks.size(), 7U);
  BOOST_TEST(std::get<thinking_block>(got.blocks[0]).signature.value() == "b64==");
  BOOST_TEST(std::get<thinking_block>(got.blocks[0]).redacted.value());
  BOOST_TEST(std::get<server_tool_call_block>(got.blocks[1]).body.text
      == R"({"provider_type":"server_tool_use","id":"srv_1","name":"web_search","input":{"query":"tide"},"caller":{"type":"direct"}})");
  BOOST_TEST(std::get<server_tool_result_block>(got.blocks[2]).body.text
      == R"({"provider_type":"web_search_tool_result","tool_use_id":"srv_1","content":[{"type":"web_search_result"}]})");
  BOOST_TEST(std::get<tool_call_block>(got.blocks[3]).arguments->text == R"({"y":2})");
  BOOST_TEST(std::get<tool_call_block>(got.blocks[4]).arguments->text == R"({"x":1})");
  BOOST_TEST(std::get<tool_call_block>(got.blocks[5]).arguments->text == "{}");
  BOOST_TEST(std::get<tool_call_block>(got.blocks[6]).arguments_raw->text == R"({"x":)");
  std::int64_t started_count = 0;
  for (const auto& event : got.events)
    if (const auto* begun = std::get_if<block_started>(&event))
      BOOST_TEST(begun->index == started_count++);
}

BOOST_AUTO_TEST_CASE(a_block_without_a_word_is_a_block) {
  auto got = decode({started() + block_start(0, R"({"type":"thinking","thinking":"","signature":""})")
      + delta(0, R"({"type":"signature_delta","signature":"c2ln"})") + block_stop(0) + text_start(1)
      + block_stop(1) + stop("end_turn") + message_stop()});
  BOOST_REQUIRE_EQUAL(got.blocks.size(), 2U);
  BOOST_TEST(std::get<thinking_block>(got.blocks[0]).text.text == "");
  BOOST_TEST(std::get<thinking_block>(got.blocks[0]).signature.value() == "c2ln");
  BOOST_TEST(std::get<text_block>(got.blocks[1]).text.text == "");
}

BOOST_AUTO_TEST_CASE(numbers_keep_their_digits) {
  auto digits = std::string(R"({\"id\":2512292042121000001,\"u\":18446744073709551615,\"f\":0.10})");
  auto got = decode({started() + call_start(0, "a", "n") + json_delta(0, digits) + block_stop(0)
      + stop("tool_use") + message_stop()});
  BOOST_TEST(std::get<tool_call_block>(got.blocks.at(0)).arguments->text
      == R"({"id":2512292042121000001,"u":18446744073709551615,"f":0.10})");
}

BOOST_AUTO_TEST_CASE(an_answer_over_the_bound_is_refused) {
  stream_decoder decoder;
  std::vector<stream_event> events;
  BOOST_TEST(decoder.feed(started() + call_start(0, "a", "n"), events));
  auto piece = json_delta(0, std::string(std::size_t{1} << 20, 'x'));
  std::size_t fed = 0;
  while (fed < 200 && decoder.feed(piece, events)) {
    events.clear();
    ++fed;
  }
  BOOST_TEST(fed <= 64U);
  decoder.finish(std::nullopt, events);
  BOOST_TEST(std::get<attempt_finished>(events.back()).error->message.find("is over") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_answer_as_one_object) {
  auto got = decode_whole(
      R"({"id":"msg_9","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"hi"},{"type":"tool_use","id":"t1","name":"n","input":{"a": 1}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":4}})");
  BOOST_TEST((got.end.state == inference_state::completed));
  BOOST_TEST(std::get<text_block>(got.blocks.at(0)).text.text == "hi");
  BOOST_TEST(std::get<tool_call_block>(got.blocks.at(1)).arguments->text == R"({"a":1})");
  BOOST_TEST(got.end.usage.output_tokens.value() == 4);
  BOOST_TEST(
      decode_whole(R"({"type":"error","error":{"type":"overloaded_error","message":"x"}})").end.error->code
      == "overloaded");
  BOOST_TEST(decode_whole("not json").end.error->code == "invalid_request");
  BOOST_TEST(decode_whole("").end.error->message == "provider stream ended without a stop event");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers::anthropic
